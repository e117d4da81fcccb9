/** The forecast between its points: straight lines over the logarithm of epsilon, flat outside. Only for showing. */

export interface Point {
  epsilon: number;
  low: number;
  middle: number;
  high: number;
}

export function between(points: readonly Point[], epsilon: number): Point | null {
  const sorted = [...points].sort((a, b) => a.epsilon - b.epsilon);
  const first = sorted[0];
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return null;
  if (epsilon <= first.epsilon) return { ...first, epsilon };
  if (epsilon >= last.epsilon) return { ...last, epsilon };
  const above = sorted.findIndex((point) => point.epsilon >= epsilon);
  const right = sorted[above];
  const left = sorted[above - 1];
  if (right === undefined || left === undefined) return null;
  const share = Math.log(epsilon / left.epsilon) / Math.log(right.epsilon / left.epsilon);
  const mix = (a: number, b: number): number => a + share * (b - a);
  return {
    epsilon,
    low: mix(left.low, right.low),
    middle: mix(left.middle, right.middle),
    high: mix(left.high, right.high),
  };
}
