import { expect, test } from "vitest";
import { applies, bounds, fields, heading, label, read, sentence, show, type Field, type Schema } from "../src/lib/form";

const SCHEMA: Schema = {
  properties: {
    method: { type: "string", enum: ["auto", "slow"], default: "auto", basic: true },
    steps: { type: ["integer", "null"], minimum: 1, default: null, basic: false, "x-applies-when": { parameter: "method", values: ["slow"] } },
    fast: { type: "boolean", default: true },
    cuts: { type: "array", items: { type: "number" } },
    of: { type: ["array", "null"], items: { type: "string" }, "x-column-of": "data" },
    data: { type: "string", "x-file": "in" },
    grid: { type: "object" },
    bounds: { type: "object", "x-named": "COLUMN=LOW,HIGH" },
    epsilon: { type: "number", exclusiveMinimum: 0, maximum: 1000000 },
  },
};
const field = (name: string): Field => {
  const found = fields(SCHEMA).find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};

test("a form has a field for each parameter, and none for files, objects and what is hidden", () => {
  expect(fields(SCHEMA, ["epsilon"]).map((one) => [one.name, one.kind, one.basic])).toEqual([
    ["method", "choice", true],
    ["steps", "number", false],
    ["fast", "yes-no", true],
    ["cuts", "list", true],
    ["of", "columns", true],
    ["bounds", "named", true],
  ]);
});

test("a field applies where the declaration says so; defaults count", () => {
  expect(applies(field("steps"), {}, SCHEMA)).toBe(false);
  expect(applies(field("steps"), { method: "slow" }, SCHEMA)).toBe(true);
});

test("what is typed becomes a value; what is no number stays text, for the server to refuse", () => {
  expect(read(field("epsilon"), " 0,5 ")).toBe(0.5);
  expect(read(field("epsilon"), "lots")).toBe("lots");
  expect(read(field("steps"), "")).toBeNull();
  expect(read(field("cuts"), "1, 2; 3.5")).toEqual([1, 2, 3.5]);
});

test("names and bounds in words", () => {
  expect(label("estimate_records")).toBe("Estimate records");
  expect(bounds(SCHEMA.properties?.epsilon ?? {})).toBe("more than 0, at most 1,000,000");
});

test("names with values are typed as pairs, and come back the same", () => {
  const bounds = field("bounds");
  expect(read(bounds, "age=18,90; height = 1.5")).toEqual({ age: [18, 90], height: 1.5 });
  expect(show(read(bounds, "age=18,90; height = 1.5"))).toBe("age=18,90; height=1.5");
  expect(read(bounds, "nonsense")).toBe("nonsense");
});

test("a sentence begins with a capital, a symbol stays as it is, and a heading has no full stop", () => {
  expect(sentence("nothing spent, ε = 1 left.")).toBe("Nothing spent, ε = 1 left.");
  expect(sentence("ε = 1.5 left")).toBe("ε = 1.5 left");
  expect(heading("chosen: glucose.")).toBe("Chosen: glucose");
});

test("a whole number may be typed in groups of three, and a fraction stays one", () => {
  for (const text of ["10000", "10,000", "10.000", "10 000", "10’000"]) expect(read(field("steps"), text)).toBe(10000);
  expect(read(field("steps"), "1,234,567")).toBe(1234567);
  expect(read(field("steps"), "2,5")).toBe(2.5); // the server says that it must be whole
  expect(read(field("epsilon"), "0,125")).toBe(0.125);
  expect(read(field("epsilon"), "1,500")).toBe(1.5);
});
