import { expect, test } from "vitest";
import type { Column } from "../src/api/types";
import { examples, named } from "../src/lib/examples";

const column = (name: string, kind: string, low: number | null = null, high: number | null = null): Column => ({
  name,
  kind,
  low,
  high,
  cuts: [],
  values: [],
  origin: "declared",
  confirmed: true,
});

test("names that are no plain words stand in quotes", () => {
  expect(named("age")).toBe("age");
  expect(named("blood pressure")).toBe('"blood pressure"');
  expect(named("order")).toBe('"order"');
  expect(named('a"b')).toBe('"a""b"');
});

test("examples use the table's own columns, and need none", () => {
  expect(examples([], null)).toHaveLength(1);
  const found = examples([column("age", "integer", 0, 120), column("ill", "category"), column("ward", "category")], "ill");
  expect(found.map((one) => one.sql)).toContain("SELECT ill, AVG(age) AS mean FROM data GROUP BY ill");
  expect(found.map((one) => one.sql)).toContain("SELECT COUNT(*) AS records FROM data WHERE age > 60");
  expect(examples([{ ...column("name", "left_out"), left_out: "text" }], null)).toHaveLength(1);
});
