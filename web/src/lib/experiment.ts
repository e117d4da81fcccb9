/** An experiment on its way: the same plain data that its text file holds. Every change gives a new one. */

import type { Value } from "./form";

export type Entry = { [name: string]: Value };
export interface Grid {
  /** Everything but the tables and the algorithms: epsilons, repetitions, folds … */
  head: Entry;
  data: Record<string, Entry>;
  algorithms: Record<string, Entry>;
}

const isEntry = (value: unknown): value is Entry => typeof value === "object" && value !== null && !Array.isArray(value);
const entries = (value: unknown): Record<string, Entry> =>
  isEntry(value) ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, Entry] => isEntry(pair[1]))) : {};

export function gridOf(document: Record<string, unknown>): Grid {
  const head = without(document, "data", "algorithms", "experiment") as Entry;
  return { head, data: entries(document["data"]), algorithms: entries(document["algorithms"]) };
}

export const documentOf = (grid: Grid): Record<string, unknown> => ({ ...grid.head, data: grid.data, algorithms: grid.algorithms });

/** A name that is not taken yet: `tree`, `tree 2`, `tree 3` … */
export function unused(name: string, taken: Record<string, unknown>): string {
  if (!(name in taken)) return name;
  let number = 2;
  while (`${name} ${number}` in taken) number += 1;
  return `${name} ${number}`;
}

export function without<T>(record: Record<string, T>, ...names: string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([each]) => !names.includes(each)));
}

/** The same entries with one of them first: the one that the others are compared with. */
export function first<T>(record: Record<string, T>, name: string): Record<string, T> {
  const chosen = record[name];
  return chosen === undefined ? record : { [name]: chosen, ...without(record, name) };
}

/** An entry with a setting, or without it. */
export function set(entry: Entry, name: string, value: Value | undefined): Entry {
  return value === undefined ? without(entry, name) : { ...entry, [name]: value };
}

/** What an algorithm's entry says about its settings, and which one is tried with several values. */
export function settingsOf(entry: Entry): { settings: Entry; tried: string; values: Value[] } {
  const several = entry["try"];
  const [pair] = isEntry(several) ? Object.entries(several) : [];
  return { settings: without(entry, "use", "try"), tried: pair?.[0] ?? "", values: Array.isArray(pair?.[1]) ? pair[1] : [] };
}

const KEY = (dataset: string): string => `experiment ${dataset}`;
export function remembered(dataset: string): Grid | null {
  try {
    const text = sessionStorage.getItem(KEY(dataset));
    return text === null ? null : (JSON.parse(text) as Grid);
  } catch {
    return null;
  }
}
export function remember(dataset: string, grid: Grid): void {
  try {
    sessionStorage.setItem(KEY(dataset), JSON.stringify(grid));
  } catch {
    // A browser that keeps nothing still works.
  }
}
