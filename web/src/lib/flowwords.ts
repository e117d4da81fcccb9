/** How a step of a flow is described: what it costs and how it stands. The figures and the reasons are the server's. */

import type { FlowStep } from "../api/types";

type State = "plain" | "measures" | "paid" | "wrong" | "later";

export function stateOf(step: FlowStep): State {
  if (step.problem) return "wrong";
  if (step.amount && step.free) return "paid";
  if (step.later) return "later";
  return step.measures ? "measures" : "plain";
}

export function costOf(step: FlowStep): string {
  if (step.problem) return "";
  if (!step.amount) return step.measures ? "price not known yet" : "free";
  return step.share ? `${step.amount.text} (${step.share})` : step.amount.text;
}

/** Several kinds of things, of which one is taken. */
export function either(kinds: readonly string[]): string {
  return kinds.length < 2 ? kinds.join() : `${kinds.slice(0, -1).join(", ")} or ${kinds[kinds.length - 1] ?? ""}`;
}
