/** A practice run from its plan to its result: on people who do not exist, free, and over in a moment. */

import { get, poll, post, spend, word } from "../api/client";
import { Problem } from "../api/problem";
import type { Plan, ReleaseInFull, Run } from "../api/types";

const ENDED = new Set(["lost", "refused", "cancelled"]);
const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

export async function practise(asked: object, signal: AbortSignal): Promise<ReleaseInFull> {
  const plan = await post<Plan>("/plans", { ...asked, practice: true }, signal);
  let run = await spend<Run>("/runs", { plan: plan.id }, crypto.randomUUID(), signal);
  while (run.state !== "released" || !run.release) {
    if (ENDED.has(run.state)) {
      throw new Problem(422, "The practice run ended early", run.problem ?? "", "Change a setting and try again.", "Nothing was spent.");
    }
    await pause(300);
    signal.throwIfAborted();
    run = await poll<Run>(`/runs/${word(run.id)}`, signal);
  }
  return get<ReleaseInFull>(`/releases/${word(run.release)}`, signal);
}
