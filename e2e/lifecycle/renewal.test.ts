import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { PolicyRule } from "@svc/devstore";
import { callBao, canary, waitFor } from "@svc/testing";
import { faultProxy } from "../harness/faults/fault-proxy.ts";
import { recordingProxy } from "../harness/faults/recording-proxy.ts";
import { kubernetesLogins } from "../harness/stores/kubernetes-logins.ts";
import {
  changingStore,
  childToken,
  deadline,
  hurried,
  linesOf,
  logs,
  recorder,
  revoke,
  setLifecycleStage,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();

const valuesOnly: readonly PolicyRule[] = [{ path: "secret/data/*", capabilities: ["read"] }];
const withMetadata: readonly PolicyRule[] = [
  ...valuesOnly,
  { path: "secret/metadata/*", capabilities: ["read"] },
];

/** A store with a kubernetes login for tokens that live as long as told. */
function kubernetesStore(life: { readonly ttlMs: number; readonly maxTtlMs?: number }) {
  const jwt = canary();
  const changing = changingStore(kubernetesLogins(jwt, life));
  const jwtPath = at(`jwt-${crypto.randomUUID()}`);
  writeFileSync(jwtPath, jwt);
  const rest = withoutToken(changing.environment);
  const environment = { ...rest, VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: jwtPath };
  return { changing, environment, jwtPath, jwt };
}

test.concurrent("a token is renewed before it expires, also if the interval is longer", async () => {
  // A busy machine may be late by a third of it.
  const { changing, environment } = kubernetesStore({ ttlMs: 9000, maxTtlMs: 600_000 });
  await using _store = changing;
  await using proxy = recordingProxy(changing.store.address);
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, VAULT_ADDR: proxy.address, RENEWAL_INTERVAL: "10m" },
  });
  await wrapper.prints("start ");
  await waitFor(() => proxy.paths().filter(isRenewal).length >= 3, deadline("three renewals"));
  expect(proxy.issuedTokens()).toHaveLength(1);
  expect(wrapper.stderr()).not.toContain("could not be checked");
});

test.concurrent("slow reads after a token do not extend its life", async () => {
  await using changing = changingStore({ policies: { app: withMetadata } });
  const token = await childToken(changing.store, { policies: ["app"], ttl: "12s" });
  let renewals = 0;
  await using proxy = faultProxy({
    vaultPort: () => Number(new URL(changing.store.address).port),
    faultOf: (line) => {
      if (line.includes("/renew-self")) renewals += 1;
      return line.includes("/metadata/") ? { kind: "latency", ms: 7500 } : undefined;
    },
  });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...changing.environment, VAULT_ADDR: proxy.address, VAULT_TOKEN: token },
  });
  await wrapper.prints("start ");
  await waitFor(() => renewals >= 2, deadline("two renewals"));
  expect(wrapper.stderr()).not.toContain("TOKEN_REFUSED");
});

test.concurrent("near its maximum a token is replaced by a login, with the JWT as it is then", async () => {
  const { changing, environment, jwtPath, jwt } = kubernetesStore({ ttlMs: 2000, maxTtlMs: 3000 });
  await using _store = changing;
  await using proxy = recordingProxy(changing.store.address);
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, VAULT_ADDR: proxy.address },
  });
  await wrapper.prints("start ");
  writeFileSync(jwtPath, "an.old.one");
  await logs(wrapper, "could not be checked");
  writeFileSync(jwtPath, jwt);
  await waitFor(() => proxy.issuedTokens().length >= 3, deadline("two more logins"));
  await wrapper.prints(`start ${await changing.change()}`);
});

test.concurrent("a login's token is revoked when the program has ended", async () => {
  const { changing, environment } = kubernetesStore({ ttlMs: 600_000 });
  await using _store = changing;
  await using proxy = recordingProxy(changing.store.address);
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, VAULT_ADDR: proxy.address },
  });
  await wrapper.prints("start ");
  wrapper.kill(15);
  expect((await wrapper.ended).exitCode).toBe(0);
  const [token = ""] = proxy.issuedTokens();
  expect(await lookUp(changing.store.address, token)).toBe(403);
});

test.concurrent("SIGTERM while the token is revoked leaves the exit code the program's", async () => {
  const { changing, environment } = kubernetesStore({ ttlMs: 600_000 });
  await using _store = changing;
  await using proxy = faultProxy({
    vaultPort: () => Number(new URL(changing.store.address).port),
    faultOf: (line) => (line.includes("/revoke-self") ? { kind: "latency", ms: 1000 } : undefined),
  });
  await using wrapper = await startWrapper({
    program: [recorder, "-x", "7"],
    environment: { ...environment, VAULT_ADDR: proxy.address, SVC_LOG_LEVEL: "debug" },
  });
  await logs(wrapper, "the program has ended");
  wrapper.kill(15);
  expect(await wrapper.ended).toMatchObject({ exitCode: 7 });
});

test.concurrent("with none a login's token is revoked before the program starts", async () => {
  const { changing, environment } = kubernetesStore({ ttlMs: 600_000 });
  await using _store = changing;
  await using proxy = recordingProxy(changing.store.address);
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, VAULT_ADDR: proxy.address, SVC_ROTATION: "none" },
  });
  await wrapper.prints("start ");
  const [token = ""] = proxy.issuedTokens();
  expect(await lookUp(changing.store.address, token)).toBe(403);
});

test.concurrent("with none a revocation that gets no answer does not keep the program waiting", async () => {
  const { changing, environment } = kubernetesStore({ ttlMs: 600_000 });
  await using _store = changing;
  await using proxy = faultProxy({
    vaultPort: () => Number(new URL(changing.store.address).port),
    faultOf: (line) => (line.includes("/revoke-self") ? { kind: "black hole" } : undefined),
  });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, VAULT_ADDR: proxy.address, SVC_ROTATION: "none" },
  });
  await wrapper.prints("start ");
  expect(wrapper.stderr()).toContain("the token is kept until it expires");
});

for (const [what, policy] of [
  ["that may read metadata", withMetadata],
  ["that may read values only", valuesOnly],
] as const) {
  test.concurrent(`a static token ${what} is renewed, and changes are seen`, async () => {
    await using changing = changingStore({ policies: { app: policy } });
    const token = await childToken(changing.store, { policies: ["app"], ttl: "8s" });
    await using proxy = recordingProxy(changing.store.address);
    await using wrapper = await startWrapper({
      program: [recorder],
      environment: { ...changing.environment, VAULT_ADDR: proxy.address, VAULT_TOKEN: token },
    });
    await wrapper.prints("start ");
    await waitFor(() => proxy.paths().some(isRenewal), deadline("a renewal"));
    const reads = proxy.paths().filter((path) => path.endsWith("/secret/data/app")).length;
    if (policy === withMetadata) expect(reads).toBe(1);
    else expect(reads).toBeGreaterThan(3);
    await wrapper.prints(`start ${await changing.change()}`);
    expect(await lookUp(changing.store.address, token)).toBe(200);
  });
}

test.concurrent("a token in a file is read again at each check", async () => {
  await using changing = changingStore({ policies: { app: withMetadata } });
  const path = at("token");
  const first = await childToken(changing.store, { policies: ["app"], ttl: "10m" });
  writeFileSync(path, first);
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...withoutToken(changing.environment), VAULT_TOKEN_FILE: path },
  });
  await wrapper.prints("start ");
  await revoke(changing.store, first);
  await logs(wrapper, "TOKEN_REFUSED");
  writeFileSync(path, await childToken(changing.store, { policies: ["app"], ttl: "10m" }));
  const second = await changing.change();
  await wrapper.prints(`start ${second}`);
});

test.concurrent("a lease is renewed, and its secret replaced before it reaches its maximum", async () => {
  await using changing = changingStore({
    leased: {
      db: {
        data: (issue: number) => ({ user: `user-${issue}` }),
        ttlMs: 2000,
        maxTtlMs: 4000,
      },
    },
  });
  await using proxy = recordingProxy(changing.store.address);
  await using wrapper = await startWrapper({
    program: [recorder, "-n", "DB_USER"],
    environment: {
      ...changing.environment,
      VAULT_ADDR: proxy.address,
      SVC_SECRET_PATHS: "secret/data/app,dynamic:dev-lease/db",
      SVC_ENV_MAP: "password=DB_PASSWORD;user=DB_USER",
    },
  });
  await wrapper.prints("start user-1");
  await wrapper.prints("start user-2");
  await wrapper.prints("start user-3");
  const lines = linesOf(wrapper);
  expect(lines.slice(0, 3)).toEqual(["start user-1", "term -", "start user-2"]);
  expect(proxy.paths().filter((path) => path.endsWith("/sys/leases/renew")).length).toBeGreaterThan(
    1,
  );
});

test.concurrent("a lease that cannot be renewed is replaced before it ends", async () => {
  await using changing = changingStore({
    leased: {
      db: { data: (issue: number) => ({ user: `user-${issue}` }), ttlMs: 3000, renewable: false },
    },
  });
  await using wrapper = await startWrapper({
    program: [recorder, "-n", "DB_USER"],
    environment: {
      ...changing.environment,
      ...hurried,
      SVC_ROTATION_SPLAY: "10m",
      SVC_SECRET_PATHS: "dynamic:dev-lease/db",
      SVC_ENV_MAP: "user=DB_USER",
    },
  });
  await wrapper.prints("start user-1");
  await wrapper.prints("start user-2");
});

for (const ttlMs of [1, 1000]) {
  test.concurrent(`leases of ${ttlMs} ms do not defeat SVC_ROTATION_MIN_INTERVAL`, async () => {
    await using changing = changingStore({
      leased: {
        db: { data: (issue: number) => ({ user: `user-${issue}` }), ttlMs, renewable: false },
      },
    });
    await using wrapper = await startWrapper({
      program: [recorder, "-n", "DB_USER"],
      environment: {
        ...changing.environment,
        ...hurried,
        RENEWAL_INTERVAL: "200ms",
        SVC_ROTATION_MIN_INTERVAL: "3s",
        SVC_SECRET_PATHS: "dynamic:dev-lease/db",
        SVC_ENV_MAP: "user=DB_USER",
      },
    });
    await wrapper.prints("start user-1");
    const started = performance.now();
    await wrapper.prints("start user-3");
    // Two rotations. The test may have seen the output a moment later.
    expect(performance.now() - started).toBeGreaterThan(5500);
    expect(wrapper.stderr()).toContain("shorter than SVC_ROTATION_MIN_INTERVAL");
  });
}

test.concurrent("a token is renewed also while a rotation waits for its time", async () => {
  const { changing, environment } = kubernetesStore({ ttlMs: 6000, maxTtlMs: 600_000 });
  await using _store = changing;
  await using proxy = recordingProxy(changing.store.address);
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, VAULT_ADDR: proxy.address, SVC_ROTATION_MIN_INTERVAL: "18s" },
  });
  await wrapper.prints("start ");
  const second = await changing.change();
  await wrapper.prints(`start ${second}`);
  expect(proxy.issuedTokens()).toHaveLength(1);
  expect(proxy.paths().filter(isRenewal).length).toBeGreaterThan(2);
});

test.concurrent("a login's token that is revoked long before its end is replaced at once", async () => {
  const { changing, environment } = kubernetesStore({ ttlMs: 600_000 });
  await using _store = changing;
  await using proxy = recordingProxy(changing.store.address);
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, VAULT_ADDR: proxy.address },
  });
  await wrapper.prints("start ");
  const [token = ""] = proxy.issuedTokens();
  await revoke(changing.store, token);
  await waitFor(() => proxy.issuedTokens().length === 2, deadline("another login"));
  await wrapper.prints(`start ${await changing.change()}`);
});

function isRenewal(path: string): boolean {
  return path.endsWith("/auth/token/renew-self");
}

/** The status of a token's look at itself. */
async function lookUp(address: string, token: string): Promise<number> {
  const target = { address, rootToken: token };
  return callBao(target, { method: "GET", path: "auth/token/lookup-self" }).then(
    () => 200,
    () => 403,
  );
}
