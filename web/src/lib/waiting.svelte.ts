/** What the server was asked and has not answered yet. One place says so for every page: none has to remember it. */

/** Whatever takes longer than this (in ms) shows that it does: from about 200 on, people notice that they wait. */
export const PATIENCE = 120;

/** Reading changes nothing. An act does, so the button that began it must not begin it twice; so does sending a file. */
export type Sort = "send" | "act" | "read";
const WORDS: readonly [Sort, string][] = [
  ["send", "Sending the file …"],
  ["act", "The server is at work …"],
  ["read", "Loading …"],
];

class Waiting {
  /** What to say now: nothing while everything is answered, or was asked only a moment ago. */
  words = $state("");
  // Not state: whoever asks the server in an effect must not be run again by every answer.
  #open: Sort[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pressed: Element | null = null;

  /** Wait for this, and say so if it takes long. */
  async during<T>(sort: Sort, work: Promise<T>): Promise<T> {
    const button = sort === "read" ? null : this.#pressed;
    this.#open.push(sort);
    button?.setAttribute("aria-disabled", "true");
    this.#timer ??= setTimeout(() => this.#say(), PATIENCE);
    try {
      return await work;
    } finally {
      this.#open.splice(this.#open.indexOf(sort), 1);
      button?.removeAttribute("aria-disabled");
      // Not at once: often one answer leads to the next question, and to a person both are one wait.
      setTimeout(() => this.#rest());
    }
  }

  #say(): void {
    this.words = WORDS.find(([sort]) => this.#open.includes(sort))?.[1] ?? "";
  }

  #rest(): void {
    if (this.#open.length === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (this.words) this.#say();
  }

  /** Notice which button is pressed. One whose act is still on its way does nothing more, and keeps the focus. */
  watch(): () => void {
    const press = (event: Event): void => {
      this.#pressed = event.target instanceof Element ? event.target.closest("button") : null;
      if (this.#pressed?.getAttribute("aria-disabled") !== "true") return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const forget = (): void => void (this.#pressed = null);
    addEventListener("click", press, true);
    addEventListener("change", forget, true);
    return () => {
      removeEventListener("click", press, true);
      removeEventListener("change", forget, true);
    };
  }
}

export const waiting = new Waiting();
