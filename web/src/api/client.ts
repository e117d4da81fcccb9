/** The one door to the server. Each call gives what was asked for, or throws a Problem. */

import { waiting, type Sort } from "../lib/waiting.svelte";
import { fromAnswer, silent } from "./problem";

const BASE = "/api/v1";
type Method = "GET" | "POST" | "PUT" | "DELETE";
interface Options {
  body?: unknown;
  file?: File;
  key?: string;
  signal?: AbortSignal | undefined;
  /** Asked again and again in the background: a page that shows how something stands says so itself. */
  quiet?: boolean;
}

/** Called when the server says that nobody is signed in. */
let onSignedOut: () => void = () => undefined;
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** What can be dropped again only reads; so pages give a signal to what they ask while somebody types. */
const sortOf = (method: Method, options: Options): Sort =>
  options.file ? "send" : method === "GET" || options.signal ? "read" : "act";

function call<T>(method: Method, path: string, options: Options = {}): Promise<T> {
  const work = ask<T>(method, path, options);
  return options.quiet ? work : waiting.during(sortOf(method, options), work);
}

async function ask<T>(method: Method, path: string, options: Options): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  let body: BodyInit | null = null;
  if (options.file) {
    headers["Content-Type"] = "application/octet-stream";
    body = options.file;
  } else if (options.body !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(options.body);
  }
  if (options.key) headers["Idempotency-Key"] = options.key;
  let answer: Response;
  try {
    answer = await fetch(BASE + path, {
      method,
      headers,
      body,
      credentials: "same-origin",
      cache: "no-store",
      signal: options.signal ?? null,
    });
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw silent(options.key !== undefined);
  }
  const found: unknown = await answer.json().catch(() => null);
  if (!answer.ok) {
    if (answer.status === 401 && path !== "/session") onSignedOut();
    throw fromAnswer(answer.status, found);
  }
  return found as T;
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("GET", path, { signal });
/** Look once more at what is shown already. */
export const poll = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("GET", path, { signal, quiet: true });
export const post = <T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> =>
  call<T>("POST", path, { body, signal });
export const put = <T>(path: string, body: unknown): Promise<T> => call<T>("PUT", path, { body });
export const remove = <T>(path: string): Promise<T> => call<T>("DELETE", path);
export const upload = <T>(path: string, file: File): Promise<T> => call<T>("PUT", path, { file });
/** A request that can spend: asked again with the same key, it is the same request. */
export const spend = <T>(path: string, body: unknown, key: string, signal?: AbortSignal): Promise<T> =>
  call<T>("POST", path, { body, key, signal });

/** A file's text: one that is there, or one that is made of what is sent with this one request. */
export const fetchFile = (path: string, body?: unknown): Promise<string> =>
  waiting.during(body === undefined ? "read" : "act", textOf(path, body));

async function textOf(path: string, body: unknown): Promise<string> {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(BASE + path, { ...sent, credentials: "same-origin", cache: "no-store" }).catch(() => {
    throw silent(false);
  });
  if (!answer.ok) {
    if (answer.status === 401) onSignedOut();
    throw fromAnswer(answer.status, await answer.json().catch(() => null));
  }
  return answer.text();
}

/** The address of a download. */
export const address = (path: string): string => BASE + path;
export const word = encodeURIComponent;
