import { expect, test } from "vitest";
import { documentOf, first, gridOf, set, settingsOf, unused } from "../src/lib/experiment";

const DOCUMENT = {
  experiment: 1,
  name: "a",
  epsilons: [0.5, 1],
  data: { people: { made_up: "people.schema.toml", records: 100 } },
  algorithms: { one: { use: "x" }, two: { use: "y", depth: 2, try: { bins: [2, 4] } } },
};

test("a document becomes a grid and the same document again", () => {
  expect({ experiment: 1, ...documentOf(gridOf(DOCUMENT)) }).toEqual(DOCUMENT);
});

test("what is no table of entries is left out, not shown", () => {
  expect(gridOf({ data: { a: 1, b: {} }, algorithms: [] })).toEqual({ head: {}, data: { b: {} }, algorithms: {} });
});

test("names are not taken twice, and one can be made the first", () => {
  expect(unused("one", DOCUMENT.algorithms)).toBe("one 2");
  expect(unused("three", DOCUMENT.algorithms)).toBe("three");
  expect(Object.keys(first(DOCUMENT.algorithms as Record<string, unknown>, "two"))).toEqual(["two", "one"]);
});

test("settings without the algorithm's name, and the one with several values", () => {
  expect(settingsOf(gridOf(DOCUMENT).algorithms["two"] ?? {})).toEqual({ settings: { depth: 2 }, tried: "bins", values: [2, 4] });
  expect(set({ use: "y", depth: 2 }, "depth", undefined)).toEqual({ use: "y" });
});
