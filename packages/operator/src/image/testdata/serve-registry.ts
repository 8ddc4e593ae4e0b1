import type { Stored } from "./small-image.ts";

/** The requests to a test's server. */
export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly authorization: string | null;
  readonly body: string;
}

/** A server that answers as a test wants. */
export interface TestServer extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly seen: readonly SeenRequest[];
}

/** A server's answer; undefined if the next handler has to answer. */
export type Answering = (request: SeenRequest) => Response | Promise<Response> | undefined;

/** Serves on the loopback; the first that answers does. */
export function serve(...answering: readonly Answering[]): TestServer {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const asked = {
        method: request.method,
        path: `${pathname}${search}`,
        authorization: request.headers.get("authorization"),
        body: await request.text(),
      };
      seen.push(asked);
      for (const answer of answering) {
        const response = await answer(asked);
        if (response !== undefined) return response;
      }
      return new Response(null, { status: 404 });
    },
  });
  return {
    host: `127.0.0.1:${server.port}`,
    seen,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Has a repository `app`: manifests by digest and tag, blobs by digest. */
export function repository(
  tags: Readonly<Record<string, Stored>>,
  ...others: readonly Stored[]
): Answering {
  const all = new Map(
    [...Object.values(tags), ...others].map((each) => [String(each.digest), each]),
  );
  return ({ path }) => {
    const [, name = ""] = /^\/v2\/app\/(?:manifests|blobs)\/([^?]+)/.exec(path) ?? [];
    const found = (Object.hasOwn(tags, name) ? tags[name] : undefined) ?? all.get(name);
    if (found === undefined) return undefined;
    const headers = { "Content-Type": found.mediaType, "Docker-Content-Digest": found.digest };
    return new Response(found.bytes.slice(), { headers });
  };
}
