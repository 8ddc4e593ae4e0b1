import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { KubernetesTarget } from "@svc/testing";

/** A request of the command's, to either server. */
export interface ProxiedRequest {
  /** From 1, over both servers. */
  readonly number: number;
  /** Method and path, without the part that all requests share, for example `PUT sys/init`. */
  readonly name: string;
}

/** The fate of a request or of its answer: a broken connection, or a proxy's answer. */
export type Fate = "passes" | "is lost" | { readonly status: number };

/** The accidents of a run's requests. A promise holds back the request or its answer. */
export interface Accident {
  /** Before the request reaches its server. */
  readonly onRequest?: (request: ProxiedRequest) => Fate | Promise<Fate>;
  /** After the server has answered, before the answer reaches the command. */
  readonly onAnswer?: (request: ProxiedRequest) => Fate | Promise<Fate>;
}

/** The servers behind the proxy. */
export interface Upstreams {
  readonly storeAddress: string;
  readonly kube: KubernetesTarget;
}

/**
 * Stands for the store and for the API server at once, so that one order numbers all requests of a
 * run.
 */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** The names of the requests so far. */
  readonly requests: () => readonly string[];
  /** How many initialisations the store has answered with keys. */
  readonly initialisations: () => number;
}

const OK = 200;

/** Starts the proxy on a free loopback port, without TLS. */
export async function startFaultProxy(
  upstreams: Upstreams,
  { onRequest = passes, onAnswer = passes }: Accident,
): Promise<FaultProxy> {
  const names: string[] = [];
  let initialisations = 0;
  const serve = async (asked: IncomingMessage, reply: ServerResponse) => {
    const name = nameOf(asked);
    const request = { name, number: names.push(name) };
    const before = await onRequest(request);
    if (before !== "passes") return end(reply, before);
    const answer = await forward(asked, upstreams);
    if (name === "PUT sys/init" && answer.status === OK) initialisations += 1;
    const after = await onAnswer(request);
    if (after !== "passes") return end(reply, after);
    reply.writeHead(answer.status, { "Content-Type": answer.type, ...lastOne }).end(answer.body);
  };
  const server = createServer((asked, reply) => {
    serve(asked, reply).catch(() => end(reply, "is lost"));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("it has no port");
  return {
    port: address.port,
    requests: () => [...names],
    initialisations: () => initialisations,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** Lets everything through. */
export function passes(): Fate {
  return "passes";
}

/** Leaves out the part that differs between two runs of the same requests: the namespace. */
function nameOf({ method = "", url = "" }: IncomingMessage): string {
  const path = url.replace(/^\/v1\//, "").replace(/^\/api\/v1\/namespaces\/[^/]+\//, "");
  return `${method} ${path}`;
}

function end(reply: ServerResponse, fate: Exclude<Fate, "passes">): void {
  if (fate === "is lost") reply.socket?.destroy();
  else reply.writeHead(fate.status, lastOne).end();
}

/**
 * Bun's fetch sends a request again by itself if a connection breaks that it has used before.
 */
const lastOne = { Connection: "close" };

interface UpstreamAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array;
}

async function forward(
  asked: IncomingMessage,
  { storeAddress, kube }: Upstreams,
): Promise<UpstreamAnswer> {
  const { url = "", method = "" } = asked;
  const isStores = url.startsWith("/v1/");
  const body = await bodyOf(asked);
  const answer = await fetch(`${isStores ? storeAddress : kube.address}${url}`, {
    method,
    headers: headersOf(asked),
    // A reused connection that has just been closed would have the request sent twice; the API
    // server keeps its own.
    keepalive: !isStores,
    ...(body.length > 0 && { body }),
    ...(!isStores && { tls: { ca: kube.caPem } }),
  });
  const type = answer.headers.get("Content-Type") ?? "application/json";
  return { status: answer.status, type, body: await answer.bytes() };
}

const perConnection = /^(?:host|connection|content-length|transfer-encoding|accept-encoding)$/;

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" && !perConnection.test(name) ? [[name, value]] : [],
    ),
  );
}

async function bodyOf(asked: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
