import { once } from "node:events";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";

/**
 * A separate process that answers a login and every KV version 2 read with the same bytes, at
 * once or after a delay: `bun bench/store.ts`. Reads PEM from standard input as JSON, prints its
 * addresses as JSON, and runs until its input ends.
 *
 * Not a store of ours or OpenBao: neither can wait exactly 50 ms, and their own work would be
 * measured with the wrapper's.
 */
const DELAY_MS = 50;
/** As Vault and OpenBao allow on a connection. */
const STREAMS = 250;

const secret = JSON.stringify({
  lease_id: "",
  data: { data: { value: "x".repeat(32) }, metadata: { version: 1, created_time: "" } },
});
const login = JSON.stringify({
  auth: { client_token: "s.bench", lease_duration: 3600, renewable: true, policies: ["app"] },
});
const headers = { "content-type": "application/json" };

const lines = readLines();
const first = await lines.next();
const tls: { readonly cert: string; readonly key: string } = JSON.parse(String(first.value));
const servers = {
  http: serve(0),
  slowHttp: serve(DELAY_MS),
  https: serve(0, tls),
  slowHttps1: serve(DELAY_MS, tls),
};
const origins = Object.entries(servers).map(([name, { url }]) => [name, url.origin]);
const addresses = { ...Object.fromEntries(origins), slowHttps: await serveHttp2(DELAY_MS) };
process.stdout.write(`${JSON.stringify(addresses)}\n`);
await lines.next();
process.exit(0);

function serve(delayMs: number, certificate?: typeof tls) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(certificate && { tls: certificate }),
    async fetch({ url }) {
      if (delayMs > 0) await Bun.sleep(delayMs);
      return new Response(url.endsWith("/login") ? login : secret, { headers });
    },
  });
}

/** Bun.serve speaks no HTTP/2. */
async function serveHttp2(delayMs: number): Promise<string> {
  const settings = { maxConcurrentStreams: STREAMS };
  const server = createSecureServer({ ...tls, allowHTTP1: true, settings });
  server.on("request", async (request, response) => {
    await Bun.sleep(delayMs);
    response.writeHead(200, headers);
    response.end(request.url.endsWith("/login") ? login : secret);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return `https://127.0.0.1:${port}`;
}

async function* readLines() {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of Bun.stdin.stream()) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
