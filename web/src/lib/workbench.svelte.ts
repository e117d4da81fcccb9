/** What every page needs: who is signed in, which table is open, and whether this is practice or for real. */

import { get, post, remove, whenSignedOut, word } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Dataset, Family, Session } from "../api/types";
import type { Value } from "./form";
import { NO_GUESS, type Typed } from "./guesses";

export interface Settings {
  algorithm: string | null;
  /** What is asked for, where a family offers several. */
  useCase?: string;
  values: Record<string, Value>;
  epsilon: number;
}

const remembered = (key: string): string | null => {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
};
const remember = (key: string, value: string): void => {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing still works: settings are lost on reload, and nothing else is.
  }
};

class Workbench {
  session = $state.raw<Session | null>(null);
  asked = $state(false);
  ended = $state(false);
  silent = $state.raw<Problem | null>(null);
  families = $state.raw<Family[]>([]);
  dataset = $state.raw<Dataset | null>(null);
  #real = $state<Record<string, boolean>>({});

  constructor() {
    whenSignedOut(() => {
      if (this.session !== null) this.ended = true;
      this.session = null;
    });
  }

  /** Who is signed in? A key in the address (of `privet workbench`) signs in, once, and leaves the address. */
  async begin(key: string | null): Promise<void> {
    this.silent = null;
    try {
      this.session = key ? await post<Session>("/session", { key }) : await get<Session>("/session");
      this.families = await get<Family[]>("/families");
    } catch (thrown) {
      const problem = asProblem(thrown);
      if (problem.status !== 401 && problem.status !== 403) this.silent = problem;
      if (key && problem.status !== 0) await this.begin(null);
    }
    this.asked = true;
  }

  async signIn(name: string, password: string): Promise<void> {
    this.session = await post<Session>("/session", { name, password });
    this.ended = false;
    this.families = await get<Family[]>("/families");
  }

  async signOut(): Promise<void> {
    await remove("/session");
    this.session = null;
    this.dataset = null;
  }

  async open(id: string): Promise<Dataset> {
    if (this.dataset?.id !== id) this.dataset = null;
    this.dataset = await get<Dataset>(`/datasets/${word(id)}`);
    return this.dataset;
  }

  /** A new project opens in Practice; each table has its own word for it, in this tab. */
  isReal(id: string): boolean {
    return this.#real[id] ?? remembered(`real ${id}`) === "yes";
  }

  setReal(id: string, real: boolean): void {
    this.#real[id] = real;
    remember(`real ${id}`, real ? "yes" : "no");
  }

  /** Settings are the same in practice and for real, so "Do this for real" carries all of them over. */
  settings<T = Settings>(place: string): T | null {
    const text = remembered(`settings ${place}`);
    return text === null ? null : (JSON.parse(text) as T);
  }

  keep(place: string, settings: object): void {
    remember(`settings ${place}`, JSON.stringify(settings));
  }

  /** Guesses are about the table, whatever is learned from it. */
  guesses(id: string): Typed {
    const text = remembered(`guesses ${id}`);
    return text === null ? NO_GUESS : (JSON.parse(text) as Typed);
  }

  guess(id: string, typed: Typed): void {
    remember(`guesses ${id}`, JSON.stringify(typed));
  }
}

export const workbench = new Workbench();
