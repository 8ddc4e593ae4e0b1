import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Certificate,
  type CertificateAuthority,
  callBao,
  canary,
  certificateAuthority,
  type OpenBao,
  startOpenBao,
  temporaryFolder,
  waitFor,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { healthAddress } from "../harness/wrapper/lifecycle-stage.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const TIMEOUT_MS = 180_000;
const WAIT = { deadlineMs: 60_000 };
const folder = temporaryFolder();
const password = canary();
/** Authorities whose certificates may log in, one after the other. */
let first: CertificateAuthority;
let second: CertificateAuthority;
let bao: OpenBao;

beforeAll(async () => {
  [first, second] = await Promise.all([
    certificateAuthority("first"),
    certificateAuthority("other"),
  ]);
  const server = await certificateAuthority("server");
  const tls = { ...(await server.issue()), caPem: server.certificatePem };
  bao = await startOpenBao({ storage: "inmem", tls });
  await post("sys/mounts/secret", { type: "kv", options: { version: "2" } });
  await writeSecret(bao, "secret/data/app", { password: "delivered" });
  await writePolicy(bao, "app", [{ path: "secret/data/app", capabilities: ["read"] }]);
  for (const type of ["cert", "userpass"]) await post(`sys/auth/${type}`, { type });
  await allow(first);
  const user = { password, token_policies: ["app"] };
  await post("auth/userpass/users/dev.user-1", user);
}, TIMEOUT_MS);
afterAll(async () => {
  await bao?.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

async function post(path: string, body: object): Promise<void> {
  await callBao(bao, { method: "POST", path, body });
}

/** The role trusts this authority, and no other one. Its tokens live for a moment. */
async function allow(authority: CertificateAuthority): Promise<void> {
  const life = { token_ttl: "6s", token_max_ttl: "8s" };
  const role = { certificate: authority.certificatePem, token_policies: ["app"] };
  await post("auth/cert/certs/app", { ...role, ...life });
}

function fileWith(text: string): string {
  const path = join(folder.path, crypto.randomUUID());
  writeFileSync(path, text);
  return path;
}

type Settings = Readonly<Record<string, string>>;

function environment(more: Settings): Settings {
  const own = wrapperEnvironment(bao.address, "");
  const log = { SVC_LOG_LEVEL: "debug", SVC_LOG_FORMAT: "json" };
  return { ...own, VAULT_CACERT: fileWith(bao.caPem ?? ""), ...log, ...more };
}

/** The settings of a login by this certificate. */
function byCertificate({ certificatePem, keyPem }: Certificate, more: Settings = {}): Settings {
  return environment({
    VAULT_AUTH_METHOD: "cert",
    VAULT_CLIENT_CERT: fileWith(certificatePem),
    VAULT_CLIENT_KEY: fileWith(keyPem),
    ...more,
  });
}

function byPassword(text: string, more: Settings = {}): Settings {
  return environment({
    VAULT_AUTH_METHOD: "userpass",
    VAULT_USERPASS_USERNAME: "dev.user-1",
    VAULT_USERPASS_PASSWORD_FILE: fileWith(`${text}\n`),
    ...more,
  });
}

describe("a value is delivered after a login by", () => {
  const rows: Readonly<Record<string, () => Promise<Settings>>> = {
    "a certificate": async () => byCertificate(await first.issue()),
    "a certificate and the name of a role": async () =>
      byCertificate(await first.issue(), { VAULT_AUTH_ROLE: "app" }),
    "a name and a password": async () => byPassword(password),
  };
  test.each(Object.entries(rows))("%s", async (_, settings) => {
    const ended = await runWrapper({
      program: [fixture("prints-env")],
      environment: { ...(await settings()), SVC_DELIVERY: "env" },
    });
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stdout.toString().split("\0")).toContain("DB_PASSWORD=delivered");
    expect(leaksIn(`${ended.stdout}${ended.stderr}`, [password])).toEqual([]);
  });
});

test(
  "a later login by certificate takes the files as they then are",
  async () => {
    const settings = byCertificate(await first.issue());
    await using wrapper = await startWrapper({
      program: [fixture("waits")],
      environment: { ...settings, RENEWAL_INTERVAL: "500ms" },
    });
    await wrapper.prints("ready");
    const next = await second.issue();
    await allow(second);
    writeFileSync(settings["VAULT_CLIENT_CERT"] ?? "", next.certificatePem);
    writeFileSync(settings["VAULT_CLIENT_KEY"] ?? "", next.keyPem);
    const address = await healthAddress(wrapper);
    const hasLoggedInAgain = async () => {
      const text = await (await fetch(`${address}/metrics`)).text();
      return Number(/^svc_wrapper_logins_total (\d+)$/m.exec(text)?.[1]) >= 2;
    };
    await waitFor(hasLoggedInAgain, { ...WAIT, what: "a login with the other certificate" });
    await allow(first);
  },
  TIMEOUT_MS,
);

describe("the program does not start with", () => {
  const rows: Readonly<Record<string, readonly [() => Promise<Settings>, ...string[]]>> = {
    "a certificate of another authority": [
      async () => byCertificate(await second.issue()),
      ...["VAULT_FAILED", "signed by an authority of the role"],
    ],
    "the name of another role": [
      async () => byCertificate(await first.issue(), { VAULT_AUTH_ROLE: "absent" }),
      ...["VAULT_FAILED", "VAULT_AUTH_ROLE"],
    ],
    "a certificate whose key is another one's": [
      async () => byCertificate({ ...(await first.issue()), keyPem: (await first.issue()).keyPem }),
      "VAULT_CLIENT_KEY",
    ],
    "a wrong password": [
      async () => byPassword(canary()),
      ...["VAULT_FAILED", "VAULT_USERPASS_PASSWORD_FILE"],
    ],
    "a user who does not exist": [
      async () => byPassword(password, { VAULT_USERPASS_USERNAME: "unknown-user" }),
      ...["VAULT_FAILED", "VAULT_USERPASS_USERNAME"],
    ],
    "a password file that is missing": [
      async () => byPassword(password, { VAULT_USERPASS_PASSWORD_FILE: "/nowhere" }),
      ...["TOKEN_UNREADABLE", "VAULT_USERPASS_PASSWORD_FILE", "ENOENT"],
    ],
  };
  for (const [what, [settings, ...said]] of Object.entries(rows)) {
    test(what, async () => {
      const { exitCode, stdout, stderr } = await runWrapper({
        program: ["/bin/echo", "started"],
        environment: { ...(await settings()), SVC_START_DEADLINE: "5s" },
      });
      expect([exitCode, stdout.toString()], stderr).toEqual([125, ""]);
      for (const word of said) expect(stderr).toContain(word);
      expect(stderr).toContain('"hint":"');
      expect(leaksIn(stderr, [password])).toEqual([]);
    });
  }
});
