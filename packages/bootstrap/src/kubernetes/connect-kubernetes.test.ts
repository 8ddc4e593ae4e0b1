import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { canary, certificateAuthority, temporaryFolder } from "@svc/testing";
import type { SecretClient } from "../secret/secret-object.ts";
import { connectKubernetes } from "./connect-kubernetes.ts";

const folder = temporaryFolder();
const token = canary();
const value = canary();
const content = {
  ...{ type: "t", labels: {}, annotations: {} },
  data: new Map([["key", new TextEncoder().encode(value)]]),
};
const revision = { uid: "u", resourceVersion: "1" };
const limits = { timeoutMs: 300, bytes: 1000 };
/** Noted while the request is there: Bun takes it apart afterwards. */
const seen: { readonly search: string; readonly authorization: string | null }[] = [];

let answer: (request: Request) => Response | Promise<Response>;
let server: Bun.Server<undefined>;
let caPem = "";
beforeAll(async () => {
  const authority = await certificateAuthority("svc test");
  caPem = authority.certificatePem;
  const { certificatePem: cert, keyPem: key } = await authority.issue();
  server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls: { cert, key } },
    fetch: (request) => {
      const authorization = request.headers.get("authorization");
      seen.push({ search: new URL(request.url).search, authorization });
      return answer(request);
    },
  });
});
afterAll(async () => {
  await server.stop(true);
  folder[Symbol.dispose]();
});

async function client(ca = caPem): Promise<SecretClient> {
  await Bun.write(`${folder.path}/token`, `${token}\n`);
  await Bun.write(`${folder.path}/ca.crt`, ca);
  const port = String(server.port);
  const access = { kind: "pod", host: "127.0.0.1", port, folder: folder.path } as const;
  const cluster = await connectKubernetes(access, limits);
  return cluster.secret({ namespace: "vault", name: "keys" });
}

const status = (code: number, more: object) =>
  Response.json({ kind: "Status", ...more }, { status: code });

test("the account's token is sent to the server, and its answer is decoded", async () => {
  answer = () =>
    Response.json({ metadata: { uid: "u", resourceVersion: "1" }, data: { key: btoa(value) } });
  const stored = await (await client()).read();
  expect(new TextDecoder().decode(stored?.data.get("key"))).toBe(value);
  expect(seen.at(-1)?.authorization).toBe(`Bearer ${token}`);
});

describe("a write with a key in it fails with", () => {
  const quoting = () =>
    status(400, { reason: "BadRequest", message: `webhook: not ${value}, ${btoa(value)}` });
  const cases: readonly (readonly [
    name: string,
    () => Response | Promise<Response>,
    code: string,
  ])[] = [
    ["a refusal that quotes it", quoting, "KUBERNETES_REFUSED"],
    ["no right", () => status(403, { reason: "Forbidden", message: value }), "KUBERNETES_DENIED"],
    ["an unknown account", () => status(401, { reason: "Unauthorized" }), "KUBERNETES_DENIED"],
    ["too many requests", () => status(429, {}), "KUBERNETES_UNREACHABLE"],
    ["an error of the server", () => status(500, { message: value }), "KUBERNETES_UNREACHABLE"],
    [
      "a gateway's page",
      () => new Response(`<p>${value}`, { status: 502 }),
      "KUBERNETES_UNREACHABLE",
    ],
    ["a redirect", () => Response.redirect("https://elsewhere.test/", 307), "KUBERNETES_REFUSED"],
    [
      "an answer that is cut",
      () => new Response(`{"data": "${value}`, jsonHeaders),
      "KUBERNETES_UNREACHABLE",
    ],
    ["an endless answer", () => new Response("x".repeat(2000)), "KUBERNETES_UNREACHABLE"],
    ["no answer", () => new Promise<Response>(() => undefined), "KUBERNETES_UNREACHABLE"],
  ];
  const jsonHeaders = { headers: { "Content-Type": "application/json" } };
  for (const [name, respond, code] of cases) {
    test(`${name}: ${code}`, async () => {
      answer = respond;
      const error: unknown = await (await client())
        .replace(content, revision)
        .catch((it: unknown) => it);
      expect(error).toMatchObject({ code });
      const shown = Bun.inspect(error);
      for (const secret of [value, btoa(value), token]) expect(shown).not.toContain(secret);
    });
  }
});

test("without a key in it the server's own words are passed on, in one line", async () => {
  answer = () => status(403, { reason: "Forbidden", message: "svc-init\ncannot get" });
  const error: unknown = await (await client()).read().catch((it: unknown) => it);
  expect(String(error)).toContain("status 403 Forbidden: svc-init cannot get");
});

test("a server of another authority gets nothing", async () => {
  const other = await certificateAuthority("another");
  const before = seen.length;
  const error: unknown = await (await client(other.certificatePem))
    .read()
    .catch((it: unknown) => it);
  expect(error).toMatchObject({ code: "KUBERNETES_UNREACHABLE" });
  expect(seen.length).toBe(before);
});

test("a dry run says so, and carries the state that it expects", async () => {
  answer = () => Response.json({ metadata: {} });
  expect(await (await client()).rehearse(content, revision)).toMatchObject({ data: new Map() });
  expect(seen.at(-1)?.search).toBe("?dryRun=All");
});

test("a client certificate of a kubeconfig is shown to the server", async () => {
  const authority = await certificateAuthority("svc test clients");
  const [own, shown] = await Promise.all([authority.issue(), authority.issue()]);
  const strict = Bun.serve({
    ...{
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => Response.json({ metadata: { uid: "seen" } }),
    },
    tls: {
      ...{ cert: own.certificatePem, key: own.keyPem, ca: authority.certificatePem },
      ...{ requestCert: true, rejectUnauthorized: true },
    },
  });
  const readAs = async (user: object) => {
    const config = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
      clusters: [{ name: "c", cluster: { server: strict.url.origin, ...authorityOf(authority) } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      users: [{ name: "u", user }],
    };
    const path = `${folder.path}/kubeconfig`;
    await Bun.write(path, JSON.stringify(config));
    const cluster = await connectKubernetes({ kind: "kubeconfig", paths: [path] }, limits);
    return cluster.secret({ namespace: "vault", name: "keys" }).read();
  };
  const certificate = {
    "client-certificate-data": btoa(shown.certificatePem),
    "client-key-data": btoa(shown.keyPem),
  };
  try {
    expect((await readAs(certificate))?.revision.uid).toBe("seen");
    const refused: unknown = await readAs({ token }).catch((it: unknown) => it);
    expect(refused).toMatchObject({ code: "KUBERNETES_UNREACHABLE" });
  } finally {
    await strict.stop(true);
  }
});

function authorityOf({ certificatePem }: { readonly certificatePem: string }): object {
  return { "certificate-authority-data": btoa(certificatePem) };
}
