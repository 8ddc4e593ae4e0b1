/** Serves 200 over TLS with Bun.serve: `CERT KEY`. Prints its port. */
import { argv, stdout } from "node:process";

const [cert = "", key = ""] = argv.slice(2);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: { cert: Bun.file(cert), key: Bun.file(key) },
  fetch: () => Response.json({ status: "ok" }),
});
stdout.write(`${server.port}\n`);
