/** The one door to the server. Each call gives what was asked for, or throws a Problem. */

import { fromAnswer, silent } from "./problem";

const BASE = "/api/v1";
type Method = "GET" | "POST" | "PUT" | "DELETE";
interface Options {
  body?: unknown;
  file?: File;
  key?: string;
  signal?: AbortSignal | undefined;
}

/** Called when the server says that nobody is signed in. */
let onSignedOut: () => void = () => undefined;
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

async function call<T>(method: Method, path: string, options: Options = {}): Promise<T> {
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
export const post = <T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> =>
  call<T>("POST", path, { body, signal });
export const put = <T>(path: string, body: unknown): Promise<T> => call<T>("PUT", path, { body });
export const remove = <T>(path: string): Promise<T> => call<T>("DELETE", path);
export const upload = <T>(path: string, file: File): Promise<T> => call<T>("PUT", path, { file });
/** A request that can spend: asked again with the same key, it is the same request. */
export const spend = <T>(path: string, body: unknown, key: string): Promise<T> => call<T>("POST", path, { body, key });

/** A file that is made for this one request: its text. */
export async function fetchFile(path: string, body: unknown): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(BASE + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    credentials: "same-origin",
    cache: "no-store",
  }).catch(() => {
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
