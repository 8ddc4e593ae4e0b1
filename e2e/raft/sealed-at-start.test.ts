import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  canary,
  certificateAuthority,
  makeToken,
  mountKv2,
  type OpenBao,
  sealBao,
  startOpenBao,
  type TemporaryFolder,
  temporaryFolder,
  unsealBao,
  waitFor,
  writePolicy,
  writeSecret,
} from "@svc/testing";

const wrapper = join(import.meta.dirname, "../../dist/bin/svc-wrapper");

let bao: OpenBao;
let folder: TemporaryFolder;
let token: string;
const password = canary();

beforeAll(async () => {
  const authority = await certificateAuthority();
  const tls = { ...(await authority.issue()), caPem: authority.certificatePem };
  bao = await startOpenBao({ storage: "raft", tls });
  folder = temporaryFolder();
  await Bun.write(join(folder.path, "ca.pem"), authority.certificatePem);
  await mountKv2(bao, "kv");
  await writeSecret(bao, "kv/data/app", { password });
  await writePolicy(bao, "app", [{ path: "kv/data/app", capabilities: ["read"] }]);
  token = await makeToken(bao, { policies: ["app"], ttl: "1h" });
});

afterAll(async () => {
  await bao.stop();
  folder[Symbol.dispose]();
});

function start(changes: Readonly<Record<string, string>>) {
  return Bun.spawn([wrapper, "--", "sh", "-c", 'test "$DB_PASSWORD" = "$EXPECTED" && exit 42'], {
    env: {
      PATH: process.env["PATH"] ?? "",
      VAULT_ADDR: bao.address,
      VAULT_TOKEN: token,
      VAULT_CACERT: join(folder.path, "ca.pem"),
      SVC_SECRET_PATHS: "kv/data/app",
      SVC_ENV_MAP: "password=DB_PASSWORD",
      SVC_LOG_FORMAT: "json",
      HEALTH_ADDR: "127.0.0.1:0",
      EXPECTED: password,
      ...changes,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/** Collects a stream while it grows, so that a test can wait for a line. */
function collect(stream: ReadableStream<Uint8Array>): { text: string; done: Promise<void> } {
  const collected = { text: "", done: Promise.resolve() };
  const decoder = new TextDecoder();
  collected.done = stream.pipeTo(
    new WritableStream({
      write: (chunk) => {
        collected.text += decoder.decode(chunk, { stream: true });
      },
    }),
  );
  return collected;
}

describe("a Raft store over TLS", () => {
  test("delivers with the private CA", async () => {
    const child = start({});
    const log = collect(child.stderr);
    expect({ exitCode: await child.exited, log: log.text }).toMatchObject({ exitCode: 42 });
  });

  test("is refused without the CA, and the error says what to set", async () => {
    const child = start({ VAULT_CACERT: "" });
    const log = collect(child.stderr);
    expect(await child.exited).toBe(125);
    await log.done;
    expect(log.text).toContain("(TLS)");
    expect(log.text).toContain("VAULT_CACERT");
  });

  test("that is sealed at the start delivers as soon as it is unsealed", async () => {
    await sealBao(bao);
    const child = start({});
    const log = collect(child.stderr);
    await waitFor(() => log.text.includes('"code":"SEALED"'), {
      deadlineMs: 20_000,
      what: "the wrapper to say that the vault is sealed",
    });
    expect(child.exitCode).toBeNull();
    await unsealBao(bao, bao.unsealKey);
    expect({ exitCode: await child.exited, log: log.text }).toMatchObject({ exitCode: 42 });
  });

  test("that stays sealed ends the wrapper at its deadline with the last error", async () => {
    await sealBao(bao);
    const child = start({ SVC_START_DEADLINE: "1s" });
    const log = collect(child.stderr);
    expect(await child.exited).toBe(125);
    await log.done;
    expect(log.text).toContain("(SEALED)");
    await unsealBao(bao, bao.unsealKey);
  });
});
