import { TestPki } from "./test-pki.ts";
import { startRawServer, startServer } from "./test-server.ts";
import type { TransportStage } from "./transport-table.ts";

/** Servers of every behaviour that the table asks for, until `Symbol.dispose` ends them. */
export interface RunningStage extends Disposable {
  /** Plain data, which another process can be given. */
  readonly stage: TransportStage;
}

const HEAD = "HTTP/1.1 200 OK\r\n";

export function startTransportStage(): RunningStage {
  const resources = new DisposableStack();
  const pki = resources.use(new TestPki());
  const client = pki.issue("client", "DNS:client");
  const byIp = pki.issue("by-ip", "IP:127.0.0.1");
  const byName = pki.issue("by-name", "DNS:vault.internal");
  const expired = pki.issue("expired", "IP:127.0.0.1", -1);
  const demanding = { ...byIp, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: true };
  const tls = (options: Bun.TLSOptions) => resources.use(startServer(echo, options)).address;
  const raw = (answer: string | Uint8Array, close = true) =>
    resources.use(startRawServer(answer, close)).address;
  const gone = startServer(echo);
  gone[Symbol.dispose]();
  return {
    stage: {
      servers: {
        echo: resources.use(startServer(echo)).address,
        gone: gone.address,
        silent: raw("", false),
        closing: raw(""),
        closingInTheBody: raw(`${HEAD}Content-Length: 100\r\n\r\n{"data"`),
        closingInAChunk: raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n50\r\n{"d`),
        notHttp: raw("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n", false),
        endlessHeaders: raw(`${HEAD}X-A: ${"a".repeat(16 << 20)}\r\n\r\n`),
        endlessBody: raw(`${HEAD}\r\n${"x".repeat(100_000)}`, false),
        longBody: raw(`${HEAD}Content-Length: 100000\r\n\r\n`, false),
        verified: tls(byIp),
        namedOtherwise: tls(byName),
        expired: tls(expired),
        selfSigned: tls(pki.selfSigned("lonely", "IP:127.0.0.1")),
        demanding: tls(demanding),
      },
      ca: pki.ca.cert,
      client: { cert: client.cert, key: client.key },
      otherKey: byIp.key,
    },
    [Symbol.dispose]: () => resources.dispose(),
  };
}

/** Answers with the request; `/status/N` with that status, and some paths in their own ways. */
function echo({ method, target, headers, body }: Parameters<Parameters<typeof startServer>[0]>[0]) {
  if (target === "/redirect") {
    return new Response("elsewhere", { status: 307, headers: { Location: "/echo" } });
  }
  if (target === "/compressed") {
    return new Response("not gzip", { headers: { "Content-Encoding": "gzip" } });
  }
  if (target === "/nothing") return new Response(null, { status: 204 });
  const status = Number(/^\/status\/(\d+)$/.exec(target)?.[1] ?? 200);
  const seen = { method, target, token: headers.get("x-vault-token"), body };
  return Response.json(seen, { status, headers: { "Retry-After": "2" } });
}
