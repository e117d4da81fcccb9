/** What a person guesses about their table, as typed; checked by the server, which says what is wrong with it. */

import type { Value } from "./form";

export interface Typed {
  records: string;
  attainable: string;
  shares: Record<string, string>;
}
export const NO_GUESS: Typed = { records: "", attainable: "", shares: {} };

function number(text: string, divisor: number): Value {
  const value = Number(text.trim().replace(",", "."));
  // Rounded, so that 7 % is 0.07 and not 0.07000000000000001.
  return Number.isNaN(value) ? text.trim() : Number((value / divisor).toPrecision(12));
}

/** The guesses as the API wants them: what is empty is left open, and percent are shares. */
export function guessed(typed: Typed): { [name: string]: Value } {
  const shares = Object.entries(typed.shares).filter(([, text]) => text.trim() !== "");
  return {
    ...(typed.records.trim() ? { records: number(typed.records.replaceAll(/[\s,.'’](?=\d{3}\b)/g, ""), 1) } : {}),
    ...(typed.attainable.trim() ? { attainable: number(typed.attainable, 100) } : {}),
    ...(shares.length > 0 ? { class_shares: Object.fromEntries(shares.map(([name, text]) => [name, number(text, 100)])) } : {}),
  };
}
