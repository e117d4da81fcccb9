/** How a run stands, in a few words and in a sentence. */

import type { Run } from "../api/types";

export const STATES: Record<Run["state"], [string, string]> = {
  priced: ["Priced", "Nothing is spent yet."],
  approval: ["Waiting for the owner", "Nothing is spent until the owner approves it. You can close this page."],
  queued: ["Waiting for its turn", "Nothing is spent yet. You can close this page: the run goes on."],
  running: ["Running", "It is paid for. You can close this page: the result will be under Results."],
  released: ["Done", "The result is ready."],
  lost: ["Lost", "It was paid for, and it stopped before its result was out. Privet does not repeat it: a second try would be a second release, with a price of its own."],
  refused: ["Refused", "Nothing was spent."],
  cancelled: ["Cancelled", "Nothing was spent."],
};
