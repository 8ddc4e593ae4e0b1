import { MAX_BODY_BYTES } from "./parse-body.ts";
import type { StoreRequest } from "./request.ts";
import { errors, type StoreResponse } from "./responses.ts";

/** The request as the state machine takes it, or the answer that needs no state machine. */
export async function readRequest(request: Request): Promise<StoreRequest | StoreResponse> {
  const url = new URL(request.url);
  const clean = cleanPath(url.pathname);
  if (clean !== url.pathname) return { status: 307, location: `${clean}${url.search}` };
  const path = decodePath(url.pathname);
  if (path === undefined) return errors(400);
  if (!path.startsWith("/v1/")) return errors(404);
  const body = new Uint8Array(await request.arrayBuffer());
  if (body.length > MAX_BODY_BYTES) return errors(413, "http: request body too large");
  return {
    method: request.method,
    path: path.slice("/v1/".length),
    query: firstOfEach(url.searchParams),
    token: tokenOf(request.headers),
    namespace: request.headers.get("x-vault-namespace") ?? "",
    wrap: request.headers.has("x-vault-wrap-ttl"),
    contentType: request.headers.get("content-type") ?? "",
    body: new TextDecoder().decode(body),
  };
}

/** The HTTP answer; HEAD gets the status and the headers only. */
export function toHttpResponse(response: StoreResponse, method: string): Response {
  if (response.location !== undefined) return redirect(response.location, response.status);
  const headers = { "cache-control": "no-store", "content-type": "application/json" };
  const bare = response.body === undefined || mayNotHaveBody(response.status, method);
  return new Response(bare ? null : `${response.body}\n`, { status: response.status, headers });
}

/** With the few words of Go's http.Redirect. */
function redirect(location: string, status: number): Response {
  const html = `<a href="${Bun.escapeHTML(location)}">Temporary Redirect</a>.\n\n`;
  const headers = { location, "content-type": "text/html; charset=utf-8" };
  return new Response(html, { status, headers });
}

function mayNotHaveBody(status: number, method: string): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

/** Go's mux redirects a path with empty segments to the clean one. */
function cleanPath(path: string): string {
  return path.replace(/\/{2,}/g, "/");
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // The only thing decodeURIComponent throws is "this is not percent-encoding".
    return undefined;
  }
}

/** Go's `Query().Get` takes the first of several values. */
function firstOfEach(query: URLSearchParams): ReadonlyMap<string, string> {
  return new Map([...query].reverse());
}

function tokenOf(headers: Headers): string {
  const own = headers.get("x-vault-token") ?? "";
  if (own !== "") return own;
  return /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
}
