/** One request of a case. */
export interface Ask {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** The path without `/v1/`, with its query. */
  readonly path: string;
  /** By default the root token; null sends none. */
  readonly token?: string | null;
  /** Sent as it is when it is text, else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer: the JSON of the body, its text when it is not JSON, or null without one. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** A server under contract, set up with `fixture.ts`. */
export interface ContractServer {
  readonly address: string;
  readonly rootToken: string;
  readonly unsealKey: string;
  /** The JWT that the kubernetes login accepts. */
  readonly jwt: string;
  /** A request that is answered with a lease of 600 s that cannot be renewed. */
  readonly leased: Ask;
  readonly stop: () => Promise<void>;
}

/** Sends one request and reads its answer; redirects are not followed. */
export async function send(server: ContractServer, ask: Ask): Promise<Reply> {
  const token = ask.token === undefined ? server.rootToken : ask.token;
  const response = await fetch(`${server.address}/v1/${ask.path}`, {
    method: ask.method,
    headers: { ...(token === null ? {} : { "X-Vault-Token": token }), ...ask.headers },
    redirect: "manual",
    ...(ask.body === undefined ? {} : { body: asText(ask.body) }),
  });
  return { status: response.status, body: asJson(await response.text()) };
}

function asText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function asJson(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    // A redirect's body is HTML; the case compares it as text or not at all.
    return text;
  }
}
