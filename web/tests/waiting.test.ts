import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PATIENCE, waiting } from "../src/lib/waiting.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function held(): { work: Promise<string>; answer: () => void } {
  let answer = (): void => undefined;
  const work = new Promise<string>((done) => (answer = () => done("here")));
  return { work, answer };
}

test("a quick answer is not announced, a slow one is, until it is there", async () => {
  const quick = held();
  const first = waiting.during("read", quick.work);
  await vi.advanceTimersByTimeAsync(PATIENCE - 1);
  expect(waiting.words).toBe("");
  quick.answer();
  expect(await first).toBe("here");
  await vi.advanceTimersByTimeAsync(2 * PATIENCE);
  expect(waiting.words).toBe("");

  const slow = held();
  const second = waiting.during("read", slow.work);
  await vi.advanceTimersByTimeAsync(PATIENCE);
  expect(waiting.words).toBe("Loading …");
  slow.answer();
  await second;
  await vi.advanceTimersByTimeAsync(1);
  expect(waiting.words).toBe("");
});

test("questions one after the other are one wait, and what changes something is named first", async () => {
  const [one, two, act] = [held(), held(), held()];
  const first = waiting.during("read", one.work).then(() => waiting.during("read", two.work));
  await vi.advanceTimersByTimeAsync(PATIENCE / 2);
  one.answer();
  await vi.advanceTimersByTimeAsync(PATIENCE / 2);
  expect(waiting.words).toBe("Loading …");
  const second = waiting.during("act", act.work);
  two.answer();
  await first;
  await vi.advanceTimersByTimeAsync(1);
  expect(waiting.words).toBe("The server is at work …");
  act.answer();
  await second;
  await vi.advanceTimersByTimeAsync(1);
  expect(waiting.words).toBe("");
});

test("what fails has ended, too", async () => {
  const failed = waiting.during("send", Promise.reject(new Error("away")));
  await expect(failed).rejects.toThrow("away");
  await vi.advanceTimersByTimeAsync(2 * PATIENCE);
  expect(waiting.words).toBe("");
});
