/** Forms from JSON Schema: which fields there are, how a value is shown as text and read back. No checks: the server's. */

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

export interface Property {
  type?: string | string[];
  enum?: Value[];
  items?: Property;
  title?: string;
  description?: string;
  default?: Value;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  basic?: boolean;
  advanced?: boolean;
  "x-file"?: string;
  "x-column-of"?: string;
  "x-named"?: string;
  "x-applies-when"?: { parameter: string; values: Value[] };
}

export interface Schema {
  properties?: Record<string, Property>;
  required?: string[];
}

export interface Field {
  name: string;
  label: string;
  kind: "choice" | "yes-no" | "number" | "text" | "columns" | "list" | "named";
  property: Property;
  optional: boolean;
  basic: boolean;
}

const typesOf = (property: Property): string[] =>
  property.type === undefined ? [] : Array.isArray(property.type) ? property.type : [property.type];

/** `estimate_records` → `Estimate records`. */
export function label(name: string): string {
  return sentence(name.replaceAll(/[_-]+/g, " ").trim());
}

/** The same words with a capital first; a symbol such as ε stays as it is. */
export function sentence(words: string): string {
  return words.replace(/^[a-z]/, (first) => first.toUpperCase());
}

/** A chance as a number out of 100. It is an upper bound, so it is rounded up; 1e-9 forgives the last digit of a float. */
export const outOf100 = (bound: number): number => Math.ceil(Math.min(100, Math.max(0, bound)) - 1e-9);

/** A day and a time as the reader writes them: the ledger keeps minutes. */
export const moment = (when: string): string =>
  new Date(when).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A sentence as a heading: without its full stop. */
export const heading = (words: string): string => sentence(words).replace(/\.$/, "");

/** The fields of a form. Files and objects have none: they are given in other ways. */
export function fields(schema: Schema, hidden: readonly string[] = []): Field[] {
  const found: Field[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const types = typesOf(property);
    const kind = kindOf(property, types);
    if (kind === null || hidden.includes(name) || property["x-file"]) continue;
    found.push({
      name,
      label: property.title ?? label(name),
      kind,
      property,
      optional: types.includes("null"),
      basic: property.basic ?? !property.advanced,
    });
  }
  return found;
}

function kindOf(property: Property, types: string[]): Field["kind"] | null {
  if (types.includes("array")) return property["x-column-of"] ? "columns" : "list";
  if (property.enum) return "choice";
  if (types.includes("boolean")) return "yes-no";
  if (types.includes("integer") || types.includes("number")) return "number";
  if (types.includes("string")) return property["x-column-of"] ? "columns" : "text";
  if (property["x-named"]) return "named";
  return null;
}

/** Whether a field applies, given the other values (its own default counts where nothing was given). */
export function applies(field: Field, values: Record<string, Value>, schema: Schema): boolean {
  const when = field.property["x-applies-when"];
  if (!when) return true;
  const given = values[when.parameter] ?? schema.properties?.[when.parameter]?.default ?? null;
  if (when.values.length === 0) return given !== null && given !== false;
  return when.values.includes(given);
}

export function show(value: Value | undefined): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((one) => show(one)).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}=${Array.isArray(one) ? one.map(show).join(",") : show(one)}`)
    .join("; ");
}

/** The value that a text means. What is not a number stays text, so that the server can say so beside the field. */
export function read(field: Field, text: string): Value {
  const trimmed = text.trim();
  if (trimmed === "" && field.optional) return null;
  if (field.kind === "number") return typesOf(field.property).includes("integer") ? whole(trimmed) : number(trimmed);
  if (field.kind === "list") {
    const parts = trimmed === "" ? [] : trimmed.split(/\s*[,;]\s*/);
    const numeric = typesOf(field.property.items ?? {}).some((type) => type === "number" || type === "integer");
    return numeric ? parts.map(number) : parts;
  }
  if (field.kind === "named") return named(trimmed);
  return trimmed;
}

/** `age=18,90; height=1,2` → { age: [18, 90], height: [1, 2] }. What is no such text stays text: the server says why. */
function named(text: string): Value {
  const pairs = text.split(/\s*;\s*/).filter((pair) => pair !== "");
  if (pairs.some((pair) => !pair.includes("="))) return text;
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const parts = pair.slice(at + 1).split(",").map((part) => number(part.trim()));
      return [pair.slice(0, at).trim(), parts.length === 1 ? (parts[0] ?? "") : parts];
    }),
  );
}

/** A whole number may be typed as it is shown, in groups of three: 10,000 is not 10. */
const whole = (text: string): Value => number(text.replaceAll(/[\s,.'’](?=\d{3}(\D|$))/g, ""));

function number(text: string): Value {
  const value = Number(text.replace(",", "."));
  return text === "" || Number.isNaN(value) ? text : value;
}

/** What the bounds say, in words. */
export function bounds(property: Property): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = property;
  const low = minimum !== undefined ? `at least ${minimum}` : exclusiveMinimum !== undefined ? `more than ${exclusiveMinimum}` : "";
  const high =
    maximum !== undefined
      ? `at most ${maximum.toLocaleString("en")}`
      : exclusiveMaximum !== undefined
        ? `less than ${exclusiveMaximum}`
        : "";
  return [low, high].filter(Boolean).join(", ");
}

/** The values with one of them set, at the end; or without it. */
export function withValue(values: Record<string, Value>, name: string, value: Value | undefined): Record<string, Value> {
  const others = Object.entries(values).filter(([key]) => key !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}
