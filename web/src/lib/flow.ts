/** A flow as a page edits it: steps in their order. What is right, what may be connected and what it costs: the server's. */

import { withValue, type Value } from "./form";

export interface Step {
  name: string;
  do: string;
  /** What it takes, slot by slot: a step, or a part of one; "" for a slot that is still empty. */
  from: string[];
  settings: Record<string, Value>;
  part: Record<string, Value>;
}

export interface Flow {
  head: Record<string, Value>;
  steps: Step[];
}

/** What may be connected, as the server has said. */
export interface Link {
  source: string;
  target: string;
  slot: number;
  reason: string;
}

type Document = Record<string, Value>;
const PART = ["weight", "epsilon"];
const isRecord = (value: Value | undefined): value is Record<string, Value> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The step that an input names, without its part. */
export const whole = (name: string): string => name.split(".", 1)[0] ?? name;

/** A document as the server sends or reads it. Its epsilon stands beside it, on the slider. */
export function fromDocument(document: Document): { flow: Flow; epsilon: number | null } {
  const { steps, epsilon, ...head } = document;
  delete head["flow"];
  const found = Object.entries(isRecord(steps) ? steps : {}).map(([name, entry]): Step => {
    const { do: kind, from, ...rest } = isRecord(entry) ? entry : {};
    const listed = Array.isArray(from) ? from : from === undefined ? [] : [from];
    const split = Object.entries(rest);
    return {
      name,
      do: String(kind ?? ""),
      from: listed.map(String),
      settings: Object.fromEntries(split.filter(([key]) => !PART.includes(key))),
      part: Object.fromEntries(split.filter(([key]) => PART.includes(key))),
    };
  });
  return { flow: { head, steps: found }, epsilon: typeof epsilon === "number" ? epsilon : null };
}

export function toDocument(flow: Flow): Document {
  const steps = flow.steps.map(({ name, do: kind, from, settings, part }) => {
    const given = from.slice(0, from.findLastIndex((one) => one !== "") + 1);
    return [name, { do: kind, ...(given.length > 0 ? { from: given } : {}), ...settings, ...part }] as const;
  });
  return { ...flow.head, steps: Object.fromEntries(steps) };
}

/** A name that no step has yet. */
export function freeName(flow: Flow, wanted: string): string {
  const taken = new Set(flow.steps.map((step) => step.name));
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted} ${count}`;
  return name;
}

export const add = (flow: Flow, kind: string): Flow => ({
  ...flow,
  steps: [...flow.steps, { name: freeName(flow, kind), do: kind, from: [], settings: {}, part: {} }],
});

const change = (flow: Flow, name: string, next: (step: Step) => Step): Flow => ({
  ...flow,
  steps: flow.steps.map((step) => (step.name === name ? next(step) : step)),
});

/** Take a step away; whatever took from it has an empty slot. */
export const remove = (flow: Flow, name: string): Flow => ({
  ...flow,
  steps: flow.steps
    .filter((step) => step.name !== name)
    .map((step) => ({ ...step, from: step.from.map((one) => (whole(one) === name ? "" : one)) })),
});

/** Give a step another name; a name that is taken, empty, or has a dot in it changes nothing. */
export function rename(flow: Flow, name: string, to: string): Flow {
  const wanted = to.trim();
  if (wanted === "" || wanted.includes(".") || flow.steps.some((step) => step.name === wanted)) return flow;
  return {
    ...flow,
    steps: flow.steps.map((step) => ({
      ...step,
      name: step.name === name ? wanted : step.name,
      from: step.from.map((one) => (whole(one) === name ? wanted + one.slice(name.length) : one)),
    })),
  };
}

/** Fill a slot, or empty it with "". */
export const take = (flow: Flow, target: string, slot: number, source: string): Flow =>
  change(flow, target, (step) => {
    const from = Array.from({ length: Math.max(step.from.length, slot + 1) }, (_, place) =>
      place === slot ? source : (step.from[place] ?? ""),
    );
    return { ...step, from };
  });

/** Take an edge away. Where any number may come, the others move up; elsewhere their slots stay. */
export const untake = (flow: Flow, target: string, slot: number, many: boolean): Flow =>
  many
    ? change(flow, target, (step) => ({ ...step, from: step.from.filter((_, place) => place !== slot) }))
    : take(flow, target, slot, "");

export const set = (flow: Flow, name: string, setting: string, value: Value | undefined): Flow =>
  change(flow, name, (step) => ({ ...step, settings: withValue(step.settings, setting, value) }));

/** All settings of a step at once. */
export const setAll = (flow: Flow, name: string, settings: Record<string, Value>): Flow =>
  change(flow, name, (step) => ({ ...step, settings }));

/** A part of the budget; null and what is not said are the same. */
export const setPart = (flow: Flow, name: string, setting: string, value: Value | undefined): Flow =>
  change(flow, name, (step) => ({ ...step, part: withValue(step.part, setting, value ?? undefined) }));

export const setHead = (flow: Flow, setting: string, value: Value | undefined): Flow => ({
  ...flow,
  head: withValue(flow.head, setting, value),
});

/** What the server has said about an edge from here to there; null if it has not been asked. */
export const linkOf = (links: readonly Link[], source: string, target: string): Link | null =>
  links.find((link) => link.source === source && link.target === target) ?? null;
