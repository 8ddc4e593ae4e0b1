import { describe, expect, test } from "bun:test";
import { TestPki } from "../../test/test-pki.ts";
import { clientOf, json, kv2, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const fixture = `${import.meta.dir}/../../testdata/reads-one-secret.ts`;

async function readIn(environment: Record<string, string>, args: readonly string[]) {
  const child = Bun.spawn([process.execPath, fixture, ...args], {
    env: environment,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { stdout, stderr };
}

describe("the surroundings do not steer the client", () => {
  test("by proxy variables", async () => {
    using proxy = startServer(() => new Response("", { status: 502 }));
    using vault = startServer(() => kv2("{}"));
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"];
    const environment = Object.fromEntries(names.map((name) => [name, proxy.address]));
    expect((await readIn(environment, [vault.address])).stdout).toBe("read\n");
    expect(proxy.seen).toBeEmpty();
  });

  test("by Bun's request log, which would print the token", async () => {
    using vault = startServer(() => kv2("{}"));
    const environment = { BUN_CONFIG_VERBOSE_FETCH: "curl" };
    const { stdout, stderr } = await readIn(environment, [vault.address]);
    expect(stdout).toBe("read\n");
    expect(stderr).toBe("");
  });

  test("by switching verification off", async () => {
    using pki = new TestPki();
    using vault = startServer(() => kv2("{}"), pki.selfSigned("lonely", "IP:127.0.0.1"));
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { stdout } = await readIn(environment, [vault.address, pki.ca.certPath]);
    expect(stdout).toBe("TLS\n");
    expect(vault.seen).toBeEmpty();
  });
});

test("login and reads share one kept-alive connection", async () => {
  const ports = new Set<number | undefined>();
  const auth = { client_token: "hvs.given", lease_duration: 60, renewable: true };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, { requestIP }) {
      ports.add(requestIP.call(server, request)?.port);
      return request.method === "POST" ? json({ auth }) : kv2("{}");
    },
  });
  const client = clientOf({ address: server.url.origin });
  const login = { mountPath: "kubernetes", role: "app", jwt: new Secret("jwt") };
  const { token } = await client.loginKubernetes(login);
  for (const name of ["a", "b", "c"]) {
    await client.readSecret(token, { path: `secret/data/${name}` });
  }
  await server.stop(true);
  expect(ports.size).toBe(1);
});
