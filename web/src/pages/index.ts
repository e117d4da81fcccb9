/** The table of contents: which page an address shows. Every page is loaded when it is first needed. */

import type { Component } from "svelte";

export interface PageProps {
  words: string[];
}
interface Page {
  title: string;
  /** How many words of the address the page does not need. */
  skip: number;
  /** Whether it can be read without signing in. */
  open?: boolean;
  load: () => Promise<{ default: Component<PageProps> }>;
}

/** A page that reads nothing from its address. */
const plain = (load: () => Promise<{ default: Component<Record<string, never>> }>): Page["load"] =>
  load as unknown as Page["load"];

const TOP: Record<string, Page> = {
  start: { title: "Start", skip: 0, load: plain(() => import("./Start.svelte")) },
  catalogue: { title: "Catalogue", skip: 1, load: plain(() => import("./Catalogue.svelte")) },
  budget: { title: "Budgets", skip: 1, load: plain(() => import("./Budgets.svelte")) },
  people: { title: "People", skip: 1, load: plain(() => import("./People.svelte")) },
  study: { title: "Study", skip: 1, load: () => import("./Joined.svelte") },
  learn: { title: "Learn", skip: 1, open: true, load: () => import("./Learn.svelte") },
};
const OF_A_TABLE: Record<string, Page> = {
  public: { title: "What is public", skip: 1, load: () => import("./Public.svelte") },
  rows: { title: "The table", skip: 1, load: () => import("./Rows.svelte") },
  look: { title: "Look", skip: 1, load: () => import("./Look.svelte") },
  ask: { title: "Ask a question", skip: 1, load: () => import("./Ask.svelte") },
  genome: { title: "Genome", skip: 1, load: () => import("./Genome.svelte") },
  mine: { title: "Mine", skip: 1, load: () => import("./Mine.svelte") },
  perturb: { title: "Perturb", skip: 1, load: () => import("./Perturb.svelte") },
  evaluate: { title: "Measure a model", skip: 1, load: () => import("./Evaluate.svelte") },
  flow: { title: "Flow", skip: 1, load: () => import("./Flow.svelte") },
  experiment: { title: "Experiment", skip: 1, load: () => import("./Experiment.svelte") },
  run: { title: "Run", skip: 1, load: () => import("./Run.svelte") },
  results: { title: "Results", skip: 1, load: () => import("./Results.svelte") },
  result: { title: "Result", skip: 1, load: () => import("./Result.svelte") },
  budget: { title: "Budget", skip: 1, load: () => import("./Budget.svelte") },
};
const MISSING: Page = { title: "No such page", skip: 0, load: plain(() => import("./Missing.svelte")) };

export function page(words: readonly string[]): Page {
  const [first = "start", , second = "public"] = words;
  return (first === "data" ? OF_A_TABLE[second] : TOP[first]) ?? MISSING;
}
