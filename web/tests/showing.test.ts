import { expect, test } from "vitest";
import { csv, fileName } from "../src/lib/files";
import { between } from "../src/lib/interpolate";
import { STOPS, nearest } from "../src/lib/steps";

const POINTS = [
  { epsilon: 1, low: 0.7, middle: 0.8, high: 0.9 },
  { epsilon: 0.1, low: 0.3, middle: 0.4, high: 0.5 },
];

test("the forecast between two points is on the line over the logarithm", () => {
  const found = between(POINTS, Math.sqrt(0.1));
  expect(found?.middle).toBeCloseTo(0.6);
  expect(found?.low).toBeCloseTo(0.5);
});

test("outside its points the forecast does not promise more, and without points there is none", () => {
  expect(between(POINTS, 100)?.middle).toBe(0.8);
  expect(between(POINTS, 0.001)?.middle).toBe(0.4);
  expect(between([], 1)).toBeNull();
});

test("the slider's stops rise, and a typed value finds the nearest", () => {
  expect([...STOPS].sort((a, b) => a - b)).toEqual([...STOPS]);
  expect(STOPS[nearest(0.5)]).toBe(0.5);
  expect(STOPS[nearest(0.52)]).toBe(0.5);
  expect(STOPS[nearest(1e9)]).toBe(10);
  expect(nearest(0)).toBe(0);
  expect(nearest(Number.NaN)).toBe(0);
});

test("a table as CSV: quotes, and no formula for a spreadsheet", () => {
  expect(csv(["a", "b"], [['say "no"', "1,5"]])).toBe('a,b\r\n"say ""no""","1,5"\r\n');
  expect(csv(["x"], [["=1+1"], ["@cmd"], ["-2.5"], ["-x"]])).toBe("x\r\n'=1+1\r\n'@cmd\r\n-2.5\r\n'-x\r\n");
});

test("a title as the name of a file", () => {
  expect(fileName("Größe / Gewicht <b>")).toBe("größe-gewicht-b");
  expect(fileName("///")).toBe("chart");
});
