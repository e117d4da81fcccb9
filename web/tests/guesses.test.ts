import { expect, test } from "vitest";
import { NO_GUESS, guessed } from "../src/lib/guesses";

test("what is empty is left open", () => {
  expect(guessed(NO_GUESS)).toEqual({});
  expect(guessed({ ...NO_GUESS, shares: { yes: " " } })).toEqual({});
});

test("percent become shares, and thousands may be marked", () => {
  const typed = { records: "20,000", attainable: "85", shares: { yes: "7", no: "" } };
  expect(guessed(typed)).toEqual({ records: 20000, attainable: 0.85, class_shares: { yes: 0.07 } });
  expect(guessed({ ...NO_GUESS, records: "1 200 000" })).toEqual({ records: 1200000 });
  expect(guessed({ ...NO_GUESS, attainable: "82,5" })).toEqual({ attainable: 0.825 });
});

test("what is no number stays as it is, for the server to say so", () => {
  expect(guessed({ ...NO_GUESS, records: "many" })).toEqual({ records: "many" });
});
