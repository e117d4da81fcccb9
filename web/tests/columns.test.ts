import { expect, test } from "vitest";
import type { Column } from "../src/api/types";
import { declared, typed } from "../src/lib/columns";

const AGE: Column = { name: "age", kind: "integer", low: 3, high: 97, cuts: [], values: [], origin: "read off the data", confirmed: false };
const TOWN: Column = { ...AGE, name: "town", kind: "category", low: null, high: null, values: ["Bonn", "Ulm, old"] };
const said = (column: Column, changed: object): unknown => {
  const found = declared(column, { ...typed(column), ...changed });
  return typeof found === "string" ? found : [found.kind, found.low, found.high, found.values, found.origin, found.confirmed];
};

test("bounds are read with a comma or a point, and what is no number is said", () => {
  expect(said(AGE, { low: "0", high: "120" })).toEqual(["integer", 0, 120, [], "declared", true]);
  expect(said(AGE, { low: "0,5", high: "1e2" })).toEqual(["integer", 0.5, 100, [], "declared", true]);
  for (const low of ["", "abc", "Infinity"]) expect(said(AGE, { low })).toContain("Type two numbers");
});

test("values stand on lines, so a comma may be in one", () => {
  expect(said(TOWN, {})).toEqual(["category", null, null, ["Bonn", "Ulm, old"], "declared", true]);
  expect(said(TOWN, { values: " Bonn \n\n  Köln" })).toEqual(["category", null, null, ["Bonn", "Köln"], "declared", true]);
});

test("numbers can stand for classes, and stay numbers", () => {
  const classes = declared(AGE, { ...typed(AGE), number: false, values: "0\n1\n2" });
  expect(classes).toMatchObject({ kind: "category", low: null, high: null, values: [0, 1, 2] });
  if (typeof classes === "string") throw new Error(classes);
  expect(said(classes, {})).toEqual(["category", null, null, [0, 1, 2], "declared", true]);
  expect(said(classes, { values: "0\nhigh" })).toEqual(["category", null, null, [0, "high"], "declared", true]);
  expect(said(classes, { number: true, low: "0", high: "2" })).toEqual(["number", 0, 2, [], "declared", true]);
  expect(said(TOWN, { values: "1\n2" })).toEqual(["category", null, null, ["1", "2"], "declared", true]);
});

test("what is neither keeps its kind", () => {
  const items: Column = { ...TOWN, kind: "set" };
  expect(said(items, { values: "a\nb" })).toEqual(["set", null, null, ["a", "b"], "declared", true]);
});
