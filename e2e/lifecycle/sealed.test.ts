import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { canary, certificateAuthority, freePort, waitFor } from "@svc/testing";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import {
  changingStore,
  childToken,
  deadline,
  linesOf,
  logs,
  postOf,
  recorder,
  revoke,
  setLifecycleStage,
  unseal,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();
const mayRead = [{ path: "secret/+/app", capabilities: ["read"] as const }];

/** The environment of a wrapper that has no token yet. */
const sealed = (environment: Readonly<Record<string, string>>) => ({
  ...withoutToken(environment),
  VAULT_AUTH_METHOD: "token",
});

test.concurrent("a wrapper without a token waits for one, and starts with one that works", async () => {
  await using changing = changingStore({ policies: { app: mayRead, other: [] } });
  const { store, environment } = changing;
  const port = freePort();
  const base = `http://127.0.0.1:${port}`;
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...sealed(environment), HEALTH_ADDR: `127.0.0.1:${port}` },
  });
  await logs(wrapper, "waiting for POST /v1/unseal");
  expect(await ask(`${base}/healthz`)).toMatchObject([200, { status: "ok" }]);
  expect(await ask(`${base}/readyz`)).toMatchObject([503, { status: "sealed" }]);
  expect(await unseal(base, canary())).toMatchObject([
    403,
    { error: { code: expect.any(String) } },
  ]);
  const other = await childToken(store, { policies: ["other"] });
  expect(await unseal(base, other)).toMatchObject([403, {}]);
  expect(linesOf(wrapper)).toEqual([]);

  const token = await childToken(store, { policies: ["app"] });
  expect(await unseal(base, token)).toEqual([200, { status: "unsealed" }]);
  await wrapper.prints(`start ${changing.value()}`);
  await waitFor(async () => (await ready(base)) === "ready", deadline("readiness"));
  expect(await unseal(base, token)).toMatchObject([409, { error: { code: "ALREADY_UNSEALED" } }]);
  const metrics = await (await fetch(`${base}/metrics`)).text();
  expect(metrics).toContain('svc_wrapper_unseal_attempts_total{result="accepted"} 1');
  expect(metrics).toContain('svc_wrapper_unseal_attempts_total{result="refused"} 2');
  expect(wrapper.stderr()).not.toContain(token);
  await wrapper.prints(`start ${await changing.change()}`);
});

test.concurrent("a token that dies leaves the pod ready for SVC_STALE_AFTER, and the program runs on", async () => {
  await using changing = changingStore({ policies: { app: mayRead } });
  const { store, environment } = changing;
  const port = freePort();
  const base = `http://127.0.0.1:${port}`;
  const first = await childToken(store, { policies: ["app"] });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...environment,
      VAULT_TOKEN: first,
      HEALTH_ADDR: `127.0.0.1:${port}`,
      SVC_LOG_LEVEL: "debug",
      SVC_STALE_AFTER: "8s",
    },
  });
  // Its life is known by then, and its renewal is weeks away.
  await logs(wrapper, "the secrets were checked", 2);
  await revoke(store, first);
  await logs(wrapper, "waiting for POST /v1/unseal");
  expect(await ask(`${base}/readyz`)).toMatchObject([200, { status: "ready", sealed: true }]);
  expect(await (await fetch(`${base}/metrics`)).text()).toContain("svc_wrapper_sealed 1\n");
  // Later it is as not ready as after an outage.
  const inTime = { deadlineMs: 40_000, what: "the sealed state" };
  await waitFor(async () => (await ready(base)) === "sealed", inTime);
  // It is not ready when SVC_STALE_AFTER is over, and not only at the next page of the supervisor.
  const [, late] = await ask(`${base}/readyz`);
  expect(late).toMatchObject({ reason: expect.stringMatching(/not be checked for [89] s$/) });
  expect(linesOf(wrapper)).toHaveLength(1);
  const second = await changing.change();
  expect(linesOf(wrapper)).toHaveLength(1);
  const fresh = await childToken(store, { policies: ["app"] });
  expect(await unseal(base, fresh)).toEqual([200, { status: "unsealed" }]);
  await wrapper.prints(`start ${second}`);
  await waitFor(async () => (await ready(base)) === "ready", deadline("readiness"));
});

test.concurrent("a token without the default policy is taken if it may read", async () => {
  await using changing = changingStore({ policies: { app: mayRead, other: [] } });
  const { store, environment } = changing;
  const port = freePort();
  const base = `http://127.0.0.1:${port}`;
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...sealed(environment), HEALTH_ADDR: `127.0.0.1:${port}` },
  });
  await logs(wrapper, "waiting for POST /v1/unseal");
  const narrow = (policy: string) =>
    childToken(store, { policies: [policy], no_default_policy: true });
  expect((await unseal(base, await narrow("other")))[0]).toBe(403);
  expect(await unseal(base, await narrow("app"))).toEqual([200, { status: "unsealed" }]);
  await wrapper.prints("start ");
  // Its life is not known: checks go on all the same.
  await wrapper.prints(`start ${await changing.change()}`);
});

test.concurrent("SIGTERM ends a sealed wrapper, and the port is free", async () => {
  await using changing = changingStore();
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: sealed(changing.environment),
  });
  await logs(wrapper, "waiting for POST /v1/unseal");
  wrapper.kill(15);
  expect(await wrapper.ended).toMatchObject({ exitCode: 143 });
});

test.concurrent("the end of the program ends a wrapper that is sealed again", async () => {
  await using changing = changingStore({ policies: { app: mayRead } });
  const first = await childToken(changing.store, { policies: ["app"] });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...changing.environment, VAULT_TOKEN: first },
  });
  await wrapper.prints("start ");
  await revoke(changing.store, first);
  await logs(wrapper, "waiting for POST /v1/unseal");
  wrapper.kill(15);
  expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
});

test.concurrent("a vault that is down is 503 to a client with a token", async () => {
  await using changing = changingStore();
  const port = freePort();
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...sealed(changing.environment),
      VAULT_ADDR: `http://127.0.0.1:${freePort()}`,
      HEALTH_ADDR: `127.0.0.1:${port}`,
    },
  });
  await logs(wrapper, "waiting for POST /v1/unseal");
  const answer = await fetch(`http://127.0.0.1:${port}/v1/unseal`, postOf(canary()));
  expect([answer.status, answer.headers.has("retry-after")]).toEqual([503, true]);
});

test.concurrent("with a client CA only /v1/unseal wants a certificate", async () => {
  const authority = await certificateAuthority();
  const server = await authority.issue();
  const client = await authority.issue();
  writeFileSync(at("cert.pem"), server.certificatePem);
  writeFileSync(at("key.pem"), server.keyPem);
  writeFileSync(at("ca.pem"), authority.certificatePem);
  await using changing = changingStore();
  const port = freePort();
  const base = `https://127.0.0.1:${port}`;
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...sealed(changing.environment),
      HEALTH_ADDR: `127.0.0.1:${port}`,
      SVC_BROKER_TLS_CERT: at("cert.pem"),
      SVC_BROKER_TLS_KEY: at("key.pem"),
      SVC_BROKER_TLS_CA: at("ca.pem"),
    },
  });
  await logs(wrapper, "waiting for POST /v1/unseal");
  const ca = authority.certificatePem;
  const tls = { ca, cert: client.certificatePem, key: client.keyPem };
  const { token } = changing.store;
  expect(await statusWith(`${base}/readyz`, { tls: { ca } })).toBe(503);
  expect(await statusWith(`${base}/v1/unseal`, { ...postOf(token), tls: { ca } })).toBe(403);
  expect(await statusWith(`${base}/v1/unseal`, { ...postOf(token), tls })).toBe(200);
  await wrapper.prints("start ");
  await waitFor(
    async () => (await statusWith(`${base}/readyz`, { tls: { ca } })) === 200,
    deadline("readiness"),
  );
});

test.concurrent("a token that is gone when the delivery wants it leaves the wrapper sealed", async () => {
  await using changing = changingStore({ policies: { app: mayRead } });
  const { store, environment } = changing;
  const port = freePort();
  const base = `http://127.0.0.1:${port}`;
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...sealed(environment), HEALTH_ADDR: `127.0.0.1:${port}` },
  });
  await logs(wrapper, "waiting for POST /v1/unseal");
  // Good for the look at itself and one read: the delivery finds it used up.
  const shortLived = await childToken(store, { policies: ["app"], num_uses: 2 });
  expect(await unseal(base, shortLived)).toEqual([200, { status: "unsealed" }]);
  await logs(wrapper, "waiting for POST /v1/unseal", 2);
  expect(await unseal(base, store.token)).toEqual([200, { status: "unsealed" }]);
  await wrapper.prints(`start ${changing.value()}`);
});

test.concurrent("a token is not asked for if required locked memory is refused", async () => {
  await using changing = changingStore();
  const ended = await runWrapper({
    program: [recorder],
    environment: { ...sealed(changing.environment), SVC_REQUIRE_MEMFD_SECRET: "true" },
    startsAs: ["-l", "memlock=0", ...unprivileged],
  });
  expect(ended.exitCode).toBe(125);
  expect(ended.stderr).toContain("MEMORY_LOCK_LIMIT");
});

test.concurrent("an unseal server that is killed is replaced, and the log says so", async () => {
  await using changing = changingStore();
  const port = freePort();
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...sealed(changing.environment),
      HEALTH_ADDR: `127.0.0.1:${port}`,
    },
  });
  await logs(wrapper, "waiting for POST /v1/unseal");
  // The first courier of all, which had no token to work with, may not have ended yet.
  const onlyChild = () => {
    const [child, ...others] = childrenOf(wrapper.pid);
    return others.length === 0 && child;
  };
  const unsealServer = await waitFor(onlyChild, deadline("the unseal server to be the only child"));
  wrapper.kill(9, unsealServer);
  await logs(wrapper, "waiting for POST /v1/unseal", 2);
  expect(wrapper.stderr()).toContain("the unseal server has ended with 137");
  expect(await unseal(`http://127.0.0.1:${port}`, changing.store.token)).toMatchObject([200, {}]);
  await wrapper.prints("start ");
});

test.concurrent("a program that crashes while sealed starts again with a token that was brought", async () => {
  await using changing = changingStore({ policies: { app: mayRead } });
  const { store, environment } = changing;
  const port = freePort();
  const first = await childToken(store, { policies: ["app"] });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...environment,
      VAULT_TOKEN: first,
      HEALTH_ADDR: `127.0.0.1:${port}`,
      SVC_RESTART: "always",
    },
  });
  await wrapper.prints("start ");
  const [program = 0] = childrenOf(wrapper.pid);
  await revoke(store, first);
  await logs(wrapper, "waiting for POST /v1/unseal");
  wrapper.kill(11, program);
  await logs(wrapper, "waiting for POST /v1/unseal", 2);
  const base = `http://127.0.0.1:${port}`;
  expect(await unseal(base, store.token)).toEqual([200, { status: "unsealed" }]);
  await waitFor(() => linesOf(wrapper).length === 2, deadline("the second start"));
});

async function ask(url: string, init: RequestInit = {}): Promise<readonly [number, unknown]> {
  const answer = await fetch(url, init);
  return [answer.status, await answer.json()];
}

/** A probe during the handover of the port may be refused: it counts as no answer. */
async function ready(base: string): Promise<unknown> {
  try {
    const [, body] = await ask(`${base}/readyz`);
    return (body as { readonly status?: unknown }).status;
  } catch {
    return undefined;
  }
}

async function statusWith(url: string, init: BunFetchRequestInit): Promise<number | undefined> {
  return fetch(url, { keepalive: false, ...init }).then(
    (answer) => answer.status,
    () => undefined,
  );
}
