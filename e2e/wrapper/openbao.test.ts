import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  canary,
  certificateAuthority,
  enableKubernetesAuth,
  type KubernetesAuth,
  makeToken,
  mountKv2,
  type OpenBao,
  sealBao,
  startOpenBao,
  temporaryFolder,
  unsealBao,
  writeKubernetesRole,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { type Ended, runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { countingRelay } from "./counting-relay.ts";

const TIMEOUT_MS = 180_000;
const ACCOUNT = { name: "app", namespace: "shop", uid: "1", audiences: ["kubernetes"] };
const MANY = Array.from({ length: 20 }, (_, index) => `service-${index + 1}`);
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);

/** Every kind of JSON value, and the text that is delivered for it. */
const kinds: Readonly<Record<string, readonly [value: unknown, delivered: string]>> = {
  text: ["plain", "plain"],
  empty: ["", ""],
  lines: ["one\ntwo\r\n\ttab", "one\ntwo\r\n\ttab"],
  unicode: ["grün 🔑 \u2028 \u00a0", "grün 🔑 \u2028 \u00a0"],
  quotes: ["\"'`$HOME\\", "\"'`$HOME\\"],
  equals: ["a=b==", "a=b=="],
  integer: [5432, "5432"],
  negative: [-7, "-7"],
  fraction: [1.5, "1.5"],
  yes: [true, "true"],
  no: [false, "false"],
  list: [["a", 1, null], '["a",1,null]'],
  object: [{ host: "db", port: 1 }, '{"host":"db","port":1}'],
};

interface Story {
  readonly bao: OpenBao;
  readonly kubernetes: KubernetesAuth;
  readonly token: string;
  readonly caPath: string;
}

let running: Story | undefined;
const story = (): Story => running ?? fail();
const fail = (): never => {
  throw new TypeError("OpenBao did not start");
};

beforeAll(async () => {
  running = await begin();
}, TIMEOUT_MS);
afterAll(async () => {
  await running?.bao.stop();
  await running?.kubernetes.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

/** A server as in production: TLS, a policy that may read and nothing else, a role for the pod. */
async function begin(): Promise<Story> {
  const authority = await certificateAuthority();
  const caPem = authority.certificatePem;
  const tls = { ...(await authority.issue()), caPem };
  const bao = await startOpenBao({ storage: "inmem", tls });
  await mountKv2(bao, "secret");
  await writeSecret(bao, "secret/data/app", { password: "first" });
  await writeSecret(bao, "secret/data/app", { password: "second" });
  const values = Object.entries(kinds).map(([name, [value]]) => [name, value] as const);
  await writeSecret(bao, "secret/data/kinds", Object.fromEntries(values));
  for (const name of MANY) await writeSecret(bao, `secret/data/many/${name}`, { key: name });
  const readable = ["app", "kinds", "many/*"].map((path) => `secret/data/${path}`);
  const rules = readable.map((path) => ({ path, capabilities: ["read"] }));
  await writePolicy(bao, "app", rules);
  const kubernetes = await enableKubernetesAuth(bao, ACCOUNT);
  await writeKubernetesRole(bao, "app", {
    bound_service_account_names: ["app"],
    bound_service_account_namespaces: ["shop"],
    token_policies: ["app"],
  });
  writeFileSync(at("jwt"), kubernetes.jwt);
  writeFileSync(at("ca.pem"), caPem);
  const token = await makeToken(bao, { policies: ["app"], ttl: "1h" });
  return { bao, kubernetes, token, caPath: at("ca.pem") };
}

/** Both methods of login, as settings. */
const methods: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  "a static token": () => ({}),
  "a kubernetes login": () => ({
    VAULT_TOKEN: "",
    VAULT_AUTH_METHOD: "kubernetes",
    VAULT_AUTH_ROLE: "app",
    SVC_AUTH_JWT_PATH: at("jwt"),
  }),
};

function settings(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { bao, token, caPath } = story();
  return { ...wrapperEnvironment(bao.address, token), VAULT_CACERT: caPath, ...more };
}

async function deliver(more: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const ended = await runWrapper({ program: [fixture("prints-env")], environment: settings(more) });
  return entriesOf(ended).filter((entry) => !/^(?:PATH|E2E_MARK)=/.test(entry));
}

function entriesOf({ exitCode, stdout, stderr }: Ended): readonly string[] {
  expect(exitCode, stderr).toBe(0);
  return stdout.toString().split("\0").filter(Boolean);
}

for (const [method, login] of Object.entries(methods)) {
  describe(`with ${method}`, () => {
    test("the newest version is delivered", async () => {
      expect(await deliver(login())).toEqual(["DB_PASSWORD=second"]);
    });

    test("a pinned version is delivered", async () => {
      const pinned = { ...login(), SVC_SECRET_PATHS: "secret/data/app#1" };
      expect(await deliver(pinned)).toEqual(["DB_PASSWORD=first"]);
    });

    test("two versions of one path are delivered together", async () => {
      const both = {
        SVC_SECRET_PATHS: "secret/data/app#1,secret/data/app",
        SVC_ENV_MAP: "password=OLD;password=NEW",
      };
      expect(await deliver({ ...login(), ...both })).toEqual(["OLD=first", "NEW=second"]);
    });

    test("every kind of JSON value arrives as text", async () => {
      const names = Object.keys(kinds);
      const map = names.map((name) => `${name}=${name.toUpperCase()}`).join(",");
      const wanted = { SVC_SECRET_PATHS: "secret/data/kinds", SVC_ENV_MAP: map };
      const expected = names.map((name) => `${name.toUpperCase()}=${kinds[name]?.[1]}`);
      expect(await deliver({ ...login(), ...wanted })).toEqual(expected);
      const { stdout } = await runWrapper({
        program: [fixture("reads-secret-fd")],
        environment: settings({ ...login(), ...wanted, SVC_DELIVERY: "library" }),
      });
      expect(stdout.toString()).toBe(expected.map((entry) => `${entry}\0`).join(""));
    });

    test("a whole path is delivered under a prefix", async () => {
      const wanted = { SVC_SECRET_PATHS: "secret/data/kinds", SVC_ENV_MAP: "*=APP_*" };
      const expected = Object.entries(kinds).map(([name, [, text]]) => `APP_${name}=${text}`);
      expect([...(await deliver({ ...login(), ...wanted }))].sort()).toEqual(expected.sort());
    });

    test("twenty paths are delivered at once", async () => {
      const wanted = {
        SVC_SECRET_PATHS: MANY.map((name) => `secret/data/many/${name}`).join(","),
        SVC_ENV_MAP: MANY.map((_, index) => `key=KEY_${index}`).join(";"),
      };
      const expected = MANY.map((name, index) => `KEY_${index}=${name}`);
      expect(await deliver({ ...login(), ...wanted })).toEqual(expected);
    });

    test("twenty paths are fetched over one connection, by HTTP/2", async () => {
      using relay = await countingRelay(story().bao.address);
      const wanted = {
        VAULT_ADDR: relay.address,
        SVC_SECRET_PATHS: MANY.map((name) => `secret/data/many/${name}`).join(","),
        SVC_ENV_MAP: MANY.map((_, index) => `key=KEY_${index}`).join(";"),
      };
      expect(await deliver({ ...login(), ...wanted })).toHaveLength(MANY.length);
      // A login has a separate connection.
      expect(relay.connections()).toBe(method === "a static token" ? 1 : 2);
    });

    test("a path that the policy does not allow keeps the program from starting", async () => {
      const denied = { ...login(), SVC_SECRET_PATHS: "secret/data/denied" };
      const { exitCode, stdout, stderr } = await runWrapper({
        program: ["/bin/echo", "started"],
        environment: settings(denied),
      });
      expect([exitCode, stdout.toString()]).toEqual([125, ""]);
      expect(stderr).toContain("secret/data/denied");
      expect(stderr).toContain("DENIED");
    });
  });
}

describe("refusals of a real server", () => {
  const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "a role that does not exist": { VAULT_AUTH_ROLE: "nobody" },
    "an auth method that is not mounted": { VAULT_AUTH_MOUNT_PATH: "auth/nowhere" },
    "a version that does not exist": { SVC_SECRET_PATHS: "secret/data/app#9" },
    "a path without data": { SVC_SECRET_PATHS: "secret/data/many/missing" },
    "a certificate of an authority that is not known": { VAULT_CACERT: "" },
  };
  for (const [what, more] of Object.entries(refused)) {
    test.concurrent(`${what} keeps the program from starting`, async () => {
      const login = methods["a kubernetes login"]?.() ?? {};
      const { exitCode, stdout, stderr } = await runWrapper({
        program: ["/bin/echo", "started"],
        environment: settings({ ...login, SVC_START_DEADLINE: "1s", ...more }),
      });
      expect([exitCode, stdout.toString()]).toEqual([125, ""]);
      expect(stderr).toContain("VAULT_FAILED");
      expect(stderr).toContain('"hint":"');
    });
  }
});

test(
  "a program starts when a sealed server is unsealed",
  async () => {
    const { bao } = story();
    await sealBao(bao);
    await using wrapper = await startWrapper({
      program: [fixture("prints-env")],
      environment: settings({ MARKER: canary() }),
    });
    await wrapper.says("SEALED");
    await unsealBao(bao, bao.unsealKey);
    expect(entriesOf(await wrapper.ended)).toContain("DB_PASSWORD=second");
  },
  TIMEOUT_MS,
);
