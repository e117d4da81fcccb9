import { expect, test } from "vitest";
import { add, fromDocument, linkOf, remove, rename, set, setHead, setPart, take, toDocument, untake } from "../src/lib/flow";
import { either } from "../src/lib/flowwords";

const DOCUMENT = {
  name: "clinic",
  epsilon: 0.5,
  steps: {
    people: { do: "source" },
    parts: { do: "split", from: "people", folds: 5 },
    model: { do: "learner", from: "parts.train", weight: 2 },
    score: { do: "evaluate", from: ["model", "parts.test"] },
  },
};
const { flow, epsilon } = fromDocument(DOCUMENT);
const names = (found: typeof flow): string[] => found.steps.map((step) => step.name);
const step = (found: typeof flow, name: string) => found.steps.find((one) => one.name === name);

test("a document comes back as it was, but for its epsilon, which stands beside it", () => {
  expect(epsilon).toBe(0.5);
  expect(toDocument(flow)).toEqual({
    name: "clinic",
    steps: {
      people: { do: "source" },
      parts: { do: "split", from: ["people"], folds: 5 },
      model: { do: "learner", from: ["parts.train"], weight: 2 },
      score: { do: "evaluate", from: ["model", "parts.test"] },
    },
  });
  expect(step(flow, "model")?.part).toEqual({ weight: 2 });
});

test("new steps get names that are free, and a name that is taken changes nothing", () => {
  expect(names(add(add(flow, "keep"), "keep")).slice(-2)).toEqual(["keep", "keep 2"]);
  expect(rename(flow, "model", "score")).toBe(flow);
  expect(rename(flow, "model", " ")).toBe(flow);
  expect(rename(flow, "model", "a.b")).toBe(flow);
  const renamed = rename(flow, "parts", "halves");
  expect(step(renamed, "model")?.from).toEqual(["halves.train"]);
  expect(step(renamed, "score")?.from).toEqual(["model", "halves.test"]);
});

test("whatever took from a step that is gone has an empty slot, in its place", () => {
  const left = remove(flow, "model");
  expect(step(left, "score")?.from).toEqual(["", "parts.test"]);
  expect(step(remove(flow, "parts"), "model")?.from).toEqual([""]);
});

test("slots are filled where the server says, and emptied", () => {
  const filled = take(add(flow, "evaluate"), "evaluate", 1, "people");
  expect(step(filled, "evaluate")?.from).toEqual(["", "people"]);
  expect(step(untake(flow, "score", 0, false), "score")?.from).toEqual(["", "parts.test"]);
  expect(step(untake(flow, "score", 0, true), "score")?.from).toEqual(["parts.test"]);
  expect(step(flow, "score")?.from).toEqual(["model", "parts.test"]);
});

test("settings, parts and the head are set and taken back", () => {
  expect(step(set(flow, "parts", "folds", undefined), "parts")?.settings).toEqual({});
  expect(step(setPart(flow, "model", "weight", null), "model")?.part).toEqual({});
  expect(setHead(flow, "allocation", "equal").head).toEqual({ name: "clinic", allocation: "equal" });
});

test("what may be connected is the server's to say", () => {
  const links = [{ source: "people", target: "page", slot: -1, reason: "It would show them." }];
  expect(linkOf(links, "people", "page")?.reason).toBe("It would show them.");
  expect(linkOf(links, "page", "people")).toBeNull();
});

test("kinds of which one is taken are told as a list", () => {
  expect(either([])).toBe("");
  expect(either(["model"])).toBe("model");
  expect(either(["private rows", "public rows", "table"])).toBe("private rows, public rows or table");
});
