import { expect, test } from "vitest";
import { parse, to } from "../src/lib/router.svelte";

test("an address is words and a query", () => {
  const place = parse("#/data/7/mine/x?model=3");
  expect(place.words).toEqual(["data", "7", "mine", "x"]);
  expect(place.query.get("model")).toBe("3");
  expect(parse("").words).toEqual([]);
  expect(parse("#/").words).toEqual([]);
});

test("a name with a slash, HTML or a broken escape stays one word", () => {
  for (const name of ["a/b", "<img src=x onerror=alert(1)>", "50 % of ü", "a?b#c"]) {
    expect(parse(to("data", name)).words).toEqual(["data", name]);
  }
  expect(parse("#/data/%E0%A4%A").words).toEqual(["data", "%E0%A4%A"]);
});
