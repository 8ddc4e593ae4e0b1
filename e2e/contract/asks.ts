import type { Ask } from "./server.ts";

/** A read with the root token. */
export const get = (path: string): Ask => ({ method: "GET", path });

/** A write with the root token. */
export const post = (path: string, body?: unknown): Ask => ({ method: "POST", path, body });

/** A delete with the root token. */
export const remove = (path: string): Ask => ({ method: "DELETE", path });

/** An RFC 7396 merge patch with the root token. */
export const patch = (path: string, body: unknown): Ask => {
  const headers = { "Content-Type": "application/merge-patch+json" };
  return { method: "PATCH", path, body, headers };
};

/** The same request with another token, or with none. */
export const as = (token: string | null, ask: Ask): Ask => ({ ...ask, token });

/** The same request with headers. */
export const having = (headers: Readonly<Record<string, string>>, ask: Ask): Ask => {
  return { ...ask, headers: { ...ask.headers, ...headers } };
};
