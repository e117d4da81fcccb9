/** The places where the slider stops: round values, evenly spread over the logarithm. */
export const STOPS: readonly number[] = [
  0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 7, 10,
];

/** The stop nearest to a value (on the logarithm), for a value that was typed. */
export function nearest(value: number): number {
  if (!(value > 0)) return 0;
  let best = 0;
  STOPS.forEach((stop, place) => {
    const here = STOPS[best] ?? 1;
    if (Math.abs(Math.log(stop / value)) < Math.abs(Math.log(here / value))) best = place;
  });
  return best;
}
