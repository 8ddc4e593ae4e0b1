/** A request as a stand-in of a cloud saw it. */
export interface CloudRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

/** Answers a request, or leaves it to the next route. */
export type CloudRoute = (
  request: CloudRequest,
) => Response | undefined | Promise<Response | undefined>;

/** A server of a cloud on the loopback. */
export interface StandIn extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Method and path of each request. */
  readonly seen: readonly string[];
  /** Is asked first: a test puts its fault here. */
  fault: CloudRoute | undefined;
}

/** Serves routes in their order; an unknown path is 404. */
export function standIn(...routes: readonly CloudRoute[]): StandIn {
  const seen: string[] = [];
  const state: { fault: CloudRoute | undefined } = { fault: undefined };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      const url = new URL(request.url);
      const { method, headers } = request;
      const asked = { method, url, headers, body: await request.text() };
      seen.push(`${method} ${url.pathname}`);
      for (const route of [state.fault, ...routes]) {
        const response = await route?.(asked);
        if (response !== undefined) return response;
      }
      return new Response(null, { status: 404 });
    },
  });
  const host = `127.0.0.1:${server.port}`;
  return Object.assign(state, {
    ...{ host, origin: `http://${host}`, seen },
    [Symbol.asyncDispose]: () => server.stop(true),
  });
}

/** The form of a request, if it is one of the media type of forms. */
export function formOf({ headers, body }: CloudRequest): URLSearchParams | undefined {
  const type = headers.get("content-type")?.split(";", 1)[0];
  return type === "application/x-www-form-urlencoded" ? new URLSearchParams(body) : undefined;
}

/** Fields of a form that are not the wanted ones. */
export function differing(
  form: URLSearchParams,
  wanted: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(wanted)
    .filter(([name, value]) => form.get(name) !== value)
    .map(([name]) => name);
}
