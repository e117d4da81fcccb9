/** What somebody has set on a page: kept for when they come back, and while they go on for real. Each change can be undone. */

import { withValue, type Value } from "./form";
import { workbench, type Settings } from "./workbench.svelte";

const MOST = 50;

export class Kept<T extends Pick<Settings, "values"> = Settings> {
  current: T = $state.raw() as T;
  #past = $state.raw<T[]>([]);

  constructor(
    readonly place: string,
    first: T,
  ) {
    this.current = workbench.settings<T>(place) ?? first;
  }

  change(next: Partial<T>): void {
    this.#past = [...this.#past.slice(1 - MOST), this.current];
    this.#put({ ...this.current, ...next });
  }

  set(parameter: string, value: Value | undefined): void {
    this.change({ values: withValue(this.current.values, parameter, value) } as Partial<T>);
  }

  get undoable(): boolean {
    return this.#past.length > 0;
  }

  undo(): void {
    const last = this.#past.at(-1);
    if (last === undefined) return;
    this.#past = this.#past.slice(0, -1);
    this.#put(last);
  }

  #put(settings: T): void {
    this.current = settings;
    workbench.keep(this.place, settings);
  }
}

/** What a page begins with: the defaults of whatever is chosen first, at this epsilon. */
export const untouched = (epsilon: number): Settings => ({ algorithm: null, values: {}, epsilon });
