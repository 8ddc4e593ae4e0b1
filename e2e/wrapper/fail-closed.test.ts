import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateAuthority, freePort, needsRoot, temporaryFolder } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { runToProof } from "../harness/wrapper/run-to-proof.ts";

const TIMEOUT_MS = 180_000;

const { store, environment } = oneSecretStore({
  policies: { none: [{ path: "secret/data/other", capabilities: ["read"] }] },
  secrets: {
    "secret/data/odd": {
      nothing: null,
      nul: "before\0after",
      reference: "vault:secret/data/app#password",
      inline: ["$", "{vault:secret/data/app#password}"].join(""),
      template: "<no value>",
      "not=a name": "x",
      LD_PRELOAD: "/x.so",
    },
    "secret/data/empty": {},
    "secret/data/twin": { password: "x" },
  },
});
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

test("the program runs if nothing is wrong", async () => {
  const { exitCode, ran } = await runToProof({ environment });
  expect([exitCode, ran]).toEqual([0, true]);
});

describe("the program is not started, and the log and the termination message say why", () => {
  interface Case {
    readonly what: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly code: string;
    /** The words that both must contain. */
    readonly names: readonly string[];
  }
  const odd = (field: string, variable = "X") => ({
    SVC_SECRET_PATHS: "secret/data/odd",
    SVC_ENV_MAP: `${field}=${variable}`,
  });
  const cases: readonly Case[] = [
    {
      what: "a path that does not exist",
      settings: { SVC_SECRET_PATHS: "secret/data/missing" },
      code: "VAULT_FAILED",
      names: ["secret/data/missing", "NOT_FOUND"],
    },
    {
      what: "a mount that does not exist",
      settings: { SVC_SECRET_PATHS: "nowhere/data/app" },
      code: "VAULT_FAILED",
      names: ["nowhere/data/app"],
    },
    {
      what: "one missing path of two",
      settings: {
        SVC_SECRET_PATHS: "secret/data/app,secret/data/missing",
        SVC_ENV_MAP: "password=A;x=B",
      },
      code: "VAULT_FAILED",
      names: ["secret/data/missing"],
    },
    {
      what: "a version that does not exist",
      settings: { SVC_SECRET_PATHS: "secret/data/app#9" },
      code: "VAULT_FAILED",
      names: ["secret/data/app", "9"],
    },
    {
      what: "a field that does not exist",
      settings: { SVC_ENV_MAP: "passwort=DB_PASSWORD" },
      code: "FIELD_MISSING",
      names: ["secret/data/app", "passwort", "DB_PASSWORD"],
    },
    {
      what: "a wrong token",
      settings: { VAULT_TOKEN: "s.wrong" },
      code: "TOKEN_REFUSED",
      names: ["secret/data/app", "DENIED"],
    },
    {
      what: "a secret without fields under *=*",
      settings: { SVC_SECRET_PATHS: "secret/data/empty", SVC_ENV_MAP: "*=*" },
      code: "NOTHING_TO_DELIVER",
      names: ["map"],
    },
    {
      what: "a field that is there twice through *=*",
      settings: { SVC_SECRET_PATHS: "secret/data/app,secret/data/twin", SVC_ENV_MAP: "*=*;*=*" },
      code: "VARIABLE_DUPLICATE",
      names: ["password", "secret/data/app", "secret/data/twin"],
    },
    {
      what: "null",
      settings: odd("nothing"),
      code: "VALUE_REFUSED",
      names: ["secret/data/odd", "nothing", "X", "null"],
    },
    {
      what: "a NUL byte",
      settings: odd("nul"),
      code: "VALUE_REFUSED",
      names: ["secret/data/odd", "nul", "X", "NUL byte"],
    },
    ...["reference", "inline", "template"].map((field) => ({
      what: `a value that is still a reference (${field})`,
      settings: odd(field),
      code: "VALUE_REFUSED",
      names: ["secret/data/odd", field, "X", "reference"],
    })),
    {
      what: "fields under *=* whose names make no variable or a reserved one",
      settings: { SVC_SECRET_PATHS: "secret/data/odd", SVC_ENV_MAP: "*=*" },
      code: "VARIABLE_REFUSED",
      names: ["secret/data/odd", "not=a name", "LD_PRELOAD"],
    },
    {
      what: "an unreachable vault",
      settings: { VAULT_ADDR: `http://127.0.0.1:${freePort()}`, SVC_START_DEADLINE: "300ms" },
      code: "VAULT_FAILED",
      names: ["secret/data/app", "UNREACHABLE"],
    },
    {
      what: "a vault that is not there with no retry at all",
      settings: { VAULT_ADDR: `http://127.0.0.1:${freePort()}`, SVC_START_DEADLINE: "0" },
      code: "VAULT_FAILED",
      names: ["UNREACHABLE"],
    },
    ...["s.two\nlines", "s.two words", "s.\u0007"].map((token) => ({
      what: `${JSON.stringify(token)} for a token`,
      settings: { VAULT_TOKEN: token },
      code: "TOKEN_UNREADABLE",
      names: ["VAULT_TOKEN", "is not visible ASCII"],
    })),
    {
      what: "a token file that does not exist",
      settings: { VAULT_TOKEN: "", VAULT_TOKEN_FILE: "/nonexistent/token" },
      code: "TOKEN_UNREADABLE",
      names: ["VAULT_TOKEN_FILE", "/nonexistent/token"],
    },
    {
      what: "a service account's JWT that does not exist",
      settings: { VAULT_TOKEN: "", VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: "/nonexistent/jwt" },
      code: "TOKEN_UNREADABLE",
      names: ["SVC_AUTH_JWT_PATH", "/nonexistent/jwt"],
    },
  ];
  for (const { what, settings, code, names } of cases) {
    test.concurrent(
      what,
      async () => {
        const { exitCode, ran, stdout, stderr, message, errorCodes } = await runToProof({
          environment: { ...environment, ...settings },
        });
        expect([exitCode, ran, stdout.toString()]).toEqual([125, false, ""]);
        expect(errorCodes).toContain(code);
        expect(message.split(":")[0]).toBe(code);
        for (const name of names) {
          expect(stderr).toContain(name);
          expect(message).toContain(name);
        }
      },
      TIMEOUT_MS,
    );
  }

  test.concurrent("a token without permission", async () => {
    const made = await fetch(`${store.address}/v1/auth/token/create`, {
      method: "POST",
      headers: { "X-Vault-Token": store.token },
      body: JSON.stringify({ policies: ["none"] }),
    });
    const answer: unknown = await made.json();
    const token = /"client_token":"([^"]+)"/.exec(JSON.stringify(answer))?.[1] ?? "";
    const { exitCode, ran, message } = await runToProof({
      environment: { ...environment, VAULT_TOKEN: token },
    });
    expect([exitCode, ran]).toEqual([125, false]);
    expect(message).toContain("secret/data/app");
    expect(message).toContain("DENIED");
  });

  test.concurrent("a sealed vault, after SVC_START_DEADLINE", async () => {
    await using sealed = oneSecretStore();
    await fetch(`${sealed.store.address}/v1/sys/seal`, {
      method: "POST",
      headers: { "X-Vault-Token": sealed.store.token },
    });
    const { address: VAULT_ADDR, token: VAULT_TOKEN } = sealed.store;
    const settings = { VAULT_ADDR, VAULT_TOKEN, SVC_START_DEADLINE: "1s" };
    const { exitCode, ran, message, durationMs } = await runToProof({
      environment: { ...environment, ...settings },
    });
    expect([exitCode, ran]).toEqual([125, false]);
    expect(message).toContain("SEALED");
    expect(durationMs).toBeLessThan(60_000);
  });

  test.concurrent("a vault whose certificate is of another authority", async () => {
    const [ours, theirs] = [await certificateAuthority(), await certificateAuthority()];
    const { certificatePem: cert, keyPem: key } = await theirs.issue();
    const asked: string[] = [];
    await using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: { cert, key },
      fetch: (request) => {
        asked.push(request.url);
        return new Response("{}");
      },
    });
    const ca = at("ca.pem");
    writeFileSync(ca, ours.certificatePem);
    const settings = { VAULT_ADDR: server.url.origin, VAULT_CACERT: ca, SVC_START_DEADLINE: "1s" };
    const { exitCode, ran, message } = await runToProof({
      environment: { ...environment, ...settings },
    });
    expect([exitCode, ran, asked]).toEqual([125, false, []]);
    expect(message).toContain("(TLS)");
  });

  test.concurrent("a program that does not exist, before the vault is asked", async () => {
    let asked = 0;
    await using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        asked += 1;
        return new Response("{}");
      },
    });
    const program = ["/nonexistent/program"];
    const ended = await runToProof({
      environment: { ...environment, VAULT_ADDR: server.url.origin },
      program,
    });
    expect([ended.exitCode, asked]).toEqual([127, 0]);
    expect(ended.message).toStartWith("PROGRAM_NOT_FOUND");
  });
});

describe("settings", () => {
  test("every problem is reported at once, by variable, and nothing is asked or started", async () => {
    const wrong = {
      VAULT_ADDR: "127.0.0.1",
      SVC_ROTATION: "retsart",
      RENEWAL_INTERVAL: "-1s",
      SVC_ENV_MAP: "password=DB_PASSWORD,,",
      HEALTH_ADDR: "nowhere",
      SVC_REQUIRE_MLOCK: "yes",
      SVC_STOP_GRACE: "soon",
      VAULT_CLIENT_CERT: "/only/the/certificate",
    };
    const { exitCode, ran, stderr, errorCodes } = await runToProof({
      environment: { ...environment, ...wrong },
    });
    expect([exitCode, ran]).toEqual([125, false]);
    for (const name of Object.keys(wrong)) expect(stderr).toContain(name);
    expect(new Set(errorCodes)).toEqual(new Set(["SETTINGS_INVALID"]));
  });

  const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "an empty mapping": { SVC_ENV_MAP: "" },
    "an empty group": { SVC_SECRET_PATHS: "secret/data/a,secret/data/b", SVC_ENV_MAP: "a=A;" },
    "a variable that is mapped twice": { SVC_ENV_MAP: "password=A,password=A" },
    "more groups than paths": { SVC_ENV_MAP: "password=A;x=B" },
    "a path without /data/": { SVC_SECRET_PATHS: "secret/app" },
    "a mapping to LD_PRELOAD": { SVC_ENV_MAP: "password=LD_PRELOAD" },
  };
  for (const [what, settings] of Object.entries(refused)) {
    test.concurrent(`${what} is refused`, async () => {
      const { exitCode, ran, errorCodes } = await runToProof({
        environment: { ...environment, ...settings },
      });
      expect([exitCode, ran]).toEqual([125, false]);
      expect(errorCodes).toContain("SETTINGS_INVALID");
    });
  }
});

test("a setting that is not UTF-8 is refused by name", async () => {
  const entries = Object.entries(environment).map(([name, value]) => `${name}=${value}\0`);
  const file = at("environment");
  writeFileSync(
    file,
    Buffer.concat([Buffer.from(`${entries.join("")}VAULT_NAMESPACE=`), Buffer.of(0xff, 0)]),
  );
  const { exitCode, ran, stderr } = await runToProof({ startsAs: ["-e", file] });
  expect([exitCode, ran]).toEqual([125, false]);
  expect(stderr).toContain("VAULT_NAMESPACE: must be UTF-8 text");
});

// The limit counts the processes of a user, so the test takes a user without other processes.
needsRoot(test)("a limit of processes that leaves no room for the courier is named", async () => {
  const ended = await runToProof({
    environment,
    program: ["/bin/true"],
    startsAs: ["-l", "nproc=1", "-U", "65533"],
  });
  expect(ended.exitCode).toBe(125);
  expect(ended.stderr).toContain("PROCESS_LIMIT");
});
