/** What went wrong, what it cost, what to do: RFC 9457 problem details, and the same for a server that is silent. */

export interface FieldError {
  field: string;
  detail: string;
}

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly advice: string,
    readonly cost: string,
    readonly errors: readonly FieldError[] = [],
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail || title);
  }

  /** Whether it may be over in a moment: the server is stopped, starts again, or waits for its database. */
  get passes(): boolean {
    return [0, 502, 503, 504].includes(this.status);
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The problem that an answer describes; an answer that describes none still says what is known. */
export function fromAnswer(status: number, body: unknown): Problem {
  const found: Record<string, unknown> = typeof body === "object" && body !== null ? { ...body } : {};
  const errors: FieldError[] = [];
  if (Array.isArray(found.errors)) {
    for (const error of found.errors) {
      if (typeof error === "object" && error !== null) {
        errors.push({ field: text(error.field), detail: text(error.detail) });
      }
    }
  }
  if (text(found.field) && !errors.some((error) => error.field === found.field)) {
    errors.unshift({ field: text(found.field), detail: text(found.detail) });
  }
  return new Problem(
    status,
    text(found.title) || (status >= 500 ? "The server failed" : "This cannot be done"),
    text(found.detail),
    text(found.advice),
    text(found.cost),
    errors,
    found,
  );
}

/** No answer came. Whether a request that can spend was accepted is not known, and that is what is said. */
export function silent(canSpend: boolean): Problem {
  return new Problem(
    0,
    "The server does not answer",
    "It may have been stopped, or the connection is lost.",
    canSpend
      ? "When it is back, press the same button again: the same request is never paid twice."
      : "Start it again if it runs on your machine (privet workbench), then try again.",
    canSpend ? "Whether the run was accepted is not known yet; the Budget page will show it." : "Nothing was spent.",
  );
}

export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  const words = thrown instanceof Error ? thrown.message : "";
  return new Problem(0, "The page failed", words, "Reload the page.", "Nothing was spent by this.");
}
