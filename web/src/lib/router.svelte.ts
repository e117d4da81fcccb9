/** Where we are: the part of the address after `#`, as words. Everything is one page, so the server needs no routes. */

export interface Place {
  words: string[];
  query: URLSearchParams;
}

/** `#/data/7/mine/x?model=3` → words ["data", "7", "mine", "x"]. A broken escape counts as plain text. */
export function parse(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const words = path
    .split("/")
    .filter((word) => word !== "")
    .map((word) => {
      try {
        return decodeURIComponent(word);
      } catch {
        return word;
      }
    });
  return { words, query: new URLSearchParams(query) };
}

/** The address of a place; every word is escaped, so a name with a slash or with HTML in it stays one word. */
export function to(...words: string[]): string {
  return "#/" + words.map(encodeURIComponent).join("/");
}

class Router {
  place = $state.raw<Place>({ words: [], query: new URLSearchParams() });

  start(): void {
    const read = (): void => {
      this.place = parse(location.hash);
    };
    addEventListener("hashchange", read);
    read();
  }

  go(...words: string[]): void {
    location.hash = to(...words);
  }

  /** Go without leaving a step behind: the back button does not return to a form that was sent. */
  replace(...words: string[]): void {
    location.replace(to(...words));
  }
}

export const router = new Router();
