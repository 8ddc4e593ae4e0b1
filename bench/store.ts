/**
 * A process of its own that answers a login and every KV version 2 read with the same bytes, at once
 * or after a delay: `bun bench/store.ts`. Reads PEM from standard input as JSON, prints its
 * addresses as JSON, and runs until its input ends.
 *
 * Not a store of ours or OpenBao: neither can wait exactly 50 ms, and their own work would be
 * measured with the wrapper's.
 */
const DELAY_MS = 50;

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
};
const addresses = Object.entries(servers).map(([name, { url }]) => [name, url.origin]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(addresses))}\n`);
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

async function* readLines() {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of Bun.stdin.stream()) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
