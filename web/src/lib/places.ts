/** The pages of use cases that need no algorithm: a result goes back to the page that its run came from. */
const PLACES: Readonly<Record<string, string>> = {
  describe: "look",
  query: "ask",
  "flow run": "flow",
  "gwas top-snps": "genome",
  "gwas count-significant": "genome",
};

export const placeOf = (useCase: string): string | null => PLACES[useCase] ?? null;
