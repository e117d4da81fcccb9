/** What somebody has set on a page: kept for when they come back, and while they go on for real. */

import { withValue, type Value } from "./form";
import { workbench, type Settings } from "./workbench.svelte";

export class Kept {
  current = $state.raw<Settings>({ algorithm: null, values: {}, epsilon: 1 });

  constructor(
    readonly place: string,
    epsilon: number,
  ) {
    this.current = workbench.settings(place) ?? { algorithm: null, values: {}, epsilon };
  }

  change(next: Partial<Settings>): void {
    this.current = { ...this.current, ...next };
    workbench.keep(this.place, this.current);
  }

  set(parameter: string, value: Value | undefined): void {
    this.change({ values: withValue(this.current.values, parameter, value) });
  }
}
