import { expect, test } from "vitest";
import { asProblem, fromAnswer, silent } from "../src/api/problem";

test("problem details keep what happened, what it cost, what to do, and where", () => {
  const problem = fromAnswer(422, {
    title: "Wrong value",
    detail: "bins must be at least 2.",
    advice: "Give 2 or more.",
    cost: "Nothing was spent.",
    field: "bins",
  });
  expect([problem.title, problem.advice, problem.cost]).toEqual(["Wrong value", "Give 2 or more.", "Nothing was spent."]);
  expect(problem.errors).toEqual([{ field: "bins", detail: "bins must be at least 2." }]);
});

test("an answer that says nothing is still a problem with a title", () => {
  expect(fromAnswer(502, null).title).toBe("The server failed");
  expect(fromAnswer(404, "x").title).toBe("This cannot be done");
});

test("after a request that can spend, a silent server is not said to have cost nothing", () => {
  expect(silent(false).cost).toBe("Nothing was spent.");
  expect(silent(true).cost).toContain("not known");
  expect(asProblem(new Error("x")).title).toBe("The page failed");
});

test("a server that is away, or waits for its database, is asked again; a refusal is not", () => {
  expect([silent(false), fromAnswer(503, null), fromAnswer(502, null)].map((each) => each.passes)).toEqual([true, true, true]);
  expect([fromAnswer(404, null), fromAnswer(422, null), fromAnswer(500, null)].map((each) => each.passes)).toEqual([false, false, false]);
});
