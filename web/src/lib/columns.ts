/** What a person types about a column: bounds, or the values it can take, one on each line. Checked by the server. */

import type { Column } from "../api/types";

export interface Typed {
  number: boolean;
  low: string;
  high: string;
  values: string;
}

export const isNumber = (column: Column): boolean => column.low !== undefined && column.low !== null;
/** Numbers may stand for classes (0 and 1, say): these kinds can be taken for each other. */
export const isPlain = (column: Column): boolean => ["number", "integer", "category"].includes(column.kind);

export const typed = (column: Column): Typed => ({
  number: isNumber(column),
  low: String(column.low ?? ""),
  high: String(column.high ?? ""),
  values: (column.values ?? []).join("\n"),
});

/** The column as it was typed, or in words why it cannot be read. */
export function declared(column: Column, { number, low, high, values }: Typed): Column | string {
  const said = { ...column, origin: "declared", confirmed: true };
  if (!number) {
    const other = isPlain(column) ? { kind: "category", low: null, high: null, cuts: [] } : {};
    return { ...said, ...other, values: valuesOf(values, column) };
  }
  const ends = [low, high].map((text) => (text.trim() === "" ? Number.NaN : Number(text.replace(",", "."))));
  if (!ends.every(Number.isFinite)) return "Type two numbers, such as 0 and 120.";
  return { ...said, kind: column.kind === "category" ? "number" : column.kind, low: ends[0] ?? 0, high: ends[1] ?? 0, values: [] };
}

type Value = NonNullable<Column["values"]>[number];

/** A value that was there stays what it was, and so a number stays a number. */
function valuesOf(text: string, column: Column): Value[] {
  const before = new Map((column.values ?? []).map((value) => [String(value), value]));
  const numbers = isNumber(column) || [...before.values()].every((value) => typeof value === "number");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const read = lines.map((line) => before.get(line) ?? before.get(line.trim()) ?? line.trim());
  const all = read.map((value) => (typeof value === "string" ? Number(value.replace(",", ".")) : value));
  return numbers && all.every((value) => typeof value === "number" && Number.isFinite(value)) ? all : read;
}
