import { afterAll, describe, expect, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  canary,
  certificateAuthority,
  freePort,
  needsRoot,
  temporaryFolder,
  waitFor,
  writeSecret,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, commandLineOf, stateOf } from "../harness/processes/process-facts.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { type SecretPlace, secretPlaces } from "./secret-places.ts";
import { type Stall, type StallingVault, stallingVault } from "./stalling-vault.ts";

// While a courier fetches, secrets are in its memory. They may be nowhere but in pages that are
// locked and in no core dump, and never in the supervisor. The vault stands still at every step of
// a fetch, the courier is stopped there, and all memory of both is searched.

const SIGSTOP = 19;
const SIGCONT = 18;
const TIMEOUT_MS = 180_000;

const jwt = canary();
const second = canary();
const { store, environment, password } = oneSecretStore({
  secrets: { "secret/data/second": { password: second } },
  kubernetes: {
    jwt,
    serviceAccount: { name: "app", namespace: "shop" },
    roles: {
      app: {
        boundServiceAccountNames: ["app"],
        boundServiceAccountNamespaces: ["shop"],
        policies: ["root"],
        ttlMs: 6000,
        maxTtlMs: 600_000,
      },
    },
  },
});
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
writeFileSync(at("jwt"), jwt);
const authority = await certificateAuthority();
const [server, client] = [await authority.issue(), await authority.issue()];
writeFileSync(at("ca.pem"), authority.certificatePem);
writeFileSync(at("client.pem"), client.certificatePem);
writeFileSync(at("client.key"), client.keyPem);
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

const next = canary();
const login = "/login";
const path = "/secret/data/app";
const within = (text: string) => (answer: string) => answer.indexOf(text) + text.length;
const steps: Readonly<Record<string, Stall>> = {
  "before the answer to the login": { path: login, after: () => 0 },
  "in the head of the login's answer": { path: login, after: within("content-ty") },
  "in the middle of the token": { path: login, after: middleOfToken },
  "one byte before the login's end": { path: login, after: (answer) => answer.length - 1 },
  "before the answer with the value": { path, after: () => 0 },
  "in the head of the answer with the value": { path, after: within("content-le") },
  "in the middle of the value": { path, after: within(password.slice(0, 30)) },
  "behind the value": { path, after: within(password) },
  "one byte before the answer's end": { path, after: (answer) => answer.length - 1 },
  "between two paths": { path: "/secret/data/second", after: () => 0 },
};

/** The stalls of couriers that look after a running program. */
const later: Readonly<Record<string, Stall & { readonly rotation: string }>> = {
  "while it renews the token": {
    path: "/renew-self",
    after: within('"client_token'),
    rotation: "restart",
  },
  "while it looks for changes": {
    path: "/secret/metadata/app",
    after: within("current_version"),
    rotation: "restart",
  },
  "in the middle of a new value for a restart": {
    path,
    after: within(next.slice(0, 30)),
    rotation: "restart",
  },
  "in the middle of a new value for SIGHUP": {
    path,
    after: within(next.slice(0, 30)),
    rotation: "sighup",
  },
};

test("the search finds secrets, and tells the place", () => {
  const found = secretPlaces(process.pid, { password: Buffer.from(password) });
  expect(found.length).toBeGreaterThan(0);
  expect(found.every(({ locked }) => locked)).toBe(false);
});

needsRoot(describe)("a courier that is stopped", () => {
  for (const [what, stall] of Object.entries(steps)) {
    for (const scheme of ["http", "https"] as const) {
      test(
        `${what}, over ${scheme}`,
        async () => {
          await using vault = startVault(stall, scheme);
          await using wrapper = await startFetching(vault.address);
          await standsStill(vault);
          await expectSecretsGuarded(wrapper, vault.issuedTokens());
          vault.goOn();
          await wrapper.prints("ready");
          expect(await placesAround(wrapper.pid, vault.issuedTokens())).toEqual([]);
        },
        TIMEOUT_MS,
      );
    }
  }

  for (const [what, { rotation, ...stall }] of Object.entries(later)) {
    test(
      what,
      async () => {
        await using vault = startVault({ path: "/nowhere", after: () => 0 }, "https");
        await using wrapper = await startFetching(vault.address, {
          SVC_ROTATION: rotation,
          RENEWAL_INTERVAL: "150ms",
          SVC_ROTATION_SPLAY: "0s",
          SVC_ROTATION_MIN_INTERVAL: "0s",
        });
        await wrapper.prints("ready");
        vault.stallAt(stall);
        if (stall.path === path) await writeValue(next);
        await standsStill(vault);
        await expectSecretsGuarded(wrapper, [...vault.issuedTokens(), next]);
        vault.goOn();
        await writeValue(password);
      },
      TIMEOUT_MS,
    );
  }

  test(
    "within 64 KiB of locked memory, as a user without capabilities",
    async () => {
      for (const name of ["jwt", "ca.pem", "client.pem", "client.key"]) chmodSync(at(name), 0o644);
      chmodSync(folder.path, 0o755);
      await using vault = startVault({ path, after: within(password.slice(0, 30)) }, "https");
      const limited = ["-l", "memlock=65536", ...unprivileged];
      const required = { SVC_REQUIRE_MLOCK: "true" };
      await using wrapper = await startFetching(vault.address, required, limited);
      await standsStill(vault);
      await expectSecretsGuarded(wrapper, vault.issuedTokens());
      vault.goOn();
      await wrapper.prints("ready");
    },
    TIMEOUT_MS,
  );

  test(
    "between two tries",
    async () => {
      await using wrapper = await startFetching(`https://127.0.0.1:${freePort()}`);
      await wrapper.says("retryInMs");
      await expectSecretsGuarded(wrapper, []);
    },
    TIMEOUT_MS,
  );

  for (const scheme of ["http", "https"] as const) {
    test(
      `with everything fetched over ${scheme} has it nowhere but in the region`,
      async () => {
        const never: Stall = { path: "/nowhere", after: () => 0 };
        await using vault = startVault(never, scheme);
        // It waits for an agent, with which the supervisor must register it first.
        await using wrapper = await startFetching(vault.address, {
          SVC_REQUIRE_AGENT: "true",
          SVC_EBPF_AGENT_ADDR: "unix:///nowhere/agent.sock",
        });
        const courier = await courierOf(wrapper);
        const isFetched = () => vault.answered().filter((path) => path.includes("data")).length > 1;
        await waitFor(() => isFetched() && regionsOf(courier).length > 0, {
          deadlineMs: 10_000,
          what: "the region to be filled",
        });
        await waitFor(
          async () => (await placesAround(courier, vault.issuedTokens())).length === 0,
          { deadlineMs: 5000, what: "the courier to have forgotten the rest" },
        );
        expect(vault.issuedTokens()).toHaveLength(1);
        expect(await placesAround(wrapper.pid, vault.issuedTokens())).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }
});
async function writeValue(value: string): Promise<void> {
  const target = { address: store.address, rootToken: store.token };
  await writeSecret(target, "secret/data/app", { password: value });
}

async function standsStill(vault: StallingVault): Promise<void> {
  await waitFor(vault.hasStalled, { deadlineMs: 10_000, what: "the vault to stand still" });
}

function startVault(stall: Stall, scheme: "http" | "https") {
  if (scheme === "http") return stallingVault(store.address, stall);
  const { certificatePem: cert, keyPem: key } = server;
  const clients = { ca: authority.certificatePem, requestCert: true, rejectUnauthorized: true };
  return stallingVault(store.address, stall, { cert, key, ...clients });
}

function startFetching(
  address: string,
  more = {},
  startsAs: readonly string[] = [],
): Promise<RunningWrapper> {
  return startWrapper({
    startsAs,
    program: ["/bin/sh", "-c", "echo ready; exec sleep 600"],
    environment: {
      ...environment,
      VAULT_ADDR: address,
      VAULT_TOKEN: "",
      VAULT_AUTH_ROLE: "app",
      SVC_AUTH_JWT_PATH: at("jwt"),
      VAULT_CACERT: at("ca.pem"),
      VAULT_CLIENT_CERT: at("client.pem"),
      VAULT_CLIENT_KEY: at("client.key"),
      SVC_SECRET_PATHS: "secret/data/app,secret/data/second",
      SVC_ENV_MAP: "password=DB_PASSWORD;password=SECOND",
      SVC_DELIVERY: "inject",
      ...more,
    },
  });
}

/** Stops courier and supervisor, and searches both. */
async function expectSecretsGuarded(wrapper: RunningWrapper, tokens: readonly string[]) {
  const courier = await courierOf(wrapper);
  await stop(courier);
  try {
    const found = await placesAround(courier, tokens);
    // The client reads its JWT before the first request, so the search must find that.
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ locked, undumped }) => !(locked && undumped))).toEqual([]);
    expect(await placesAround(wrapper.pid, tokens)).toEqual([]);
  } finally {
    process.kill(courier, SIGCONT);
  }
}

/** Mappings of memfd_secret; root does not read them either. */
function regionsOf(pid: number): readonly string[] {
  const lines = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  return lines.filter((line) => line.includes("secretmem"));
}

function courierOf(wrapper: RunningWrapper): Promise<number> {
  const isCourier = (pid: number) => commandLineOf(pid).toString().startsWith("svc-courier");
  return waitFor(() => childrenOf(wrapper.pid).find(isCourier), {
    deadlineMs: 10_000,
    what: "a courier",
  });
}

async function stop(pid: number): Promise<void> {
  process.kill(pid, SIGSTOP);
  await waitFor(() => /[tT]/.test(stateOf(pid) ?? ""), { deadlineMs: 5000, what: "it to stop" });
}

async function placesAround(
  pid: number,
  tokens: readonly string[],
): Promise<readonly SecretPlace[]> {
  return secretPlaces(pid, { ...canaries(), ...named("token", tokens), ...clientKey() });
}

/** The first bytes of each secret: an answer may stand still in the middle of it. */
function canaries(): Readonly<Record<string, Buffer>> {
  const texts = { jwt, password, second, store: store.token };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, beginning(text)]));
}

function named(name: string, texts: readonly string[]): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(texts.map((text, index) => [`${name} ${index + 1}`, beginning(text)]));
}

function beginning(text: string): Buffer {
  return Buffer.from(text.slice(0, 24));
}

/** As in the file, as a number, and as a number in the words of this processor; RFC 5915. */
function clientKey(): Readonly<Record<string, Buffer>> {
  const line = client.keyPem.split("\n")[1] ?? "";
  const number = Buffer.from(
    createPrivateKey(client.keyPem).export({ format: "jwk" }).d ?? "",
    "base64url",
  );
  return {
    "client key in PEM": Buffer.from(line.slice(-40)),
    "client key": number,
    "client key in words": Buffer.from(number.toReversed()),
  };
}

function middleOfToken(answer: string): number {
  const name = '"client_token":"';
  const start = answer.replaceAll(/": "/g, '":"').indexOf(name) + name.length;
  return start + 26;
}
