import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { startDevStore } from "@svc/devstore";
import { callBao, canary, freePort, waitFor, writeSecret } from "@svc/testing";
import { faultProxy } from "../harness/faults/fault-proxy.ts";
import { kubernetesLogins } from "../harness/stores/kubernetes-logins.ts";
import {
  changingStore,
  deadline,
  healthAddress,
  hurried,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();

test.concurrent("a vault that goes away leaves the program alone, and is found again", async () => {
  const [port, token] = [freePort(), canary()];
  const [first, second] = [canary(), canary()];
  const secrets = (password: string) => ({ "secret/data/app": { password } });
  const before = startDevStore({ port, token, secrets: secrets(first) });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...wrapperEnvironment(before.address, token),
      ...hurried,
      SVC_STALE_AFTER: "1s",
    },
  });
  await wrapper.prints(`start ${first}`);
  const health = await healthAddress(wrapper);
  // The program may print before the supervisor has seen its start.
  await waitFor(async () => (await statusOf(`${health}/readyz`))[1] === "ready", deadline("ready"));
  await before.stop();
  await logs(wrapper, "could not be checked", 2);
  await waitFor(async () => (await statusOf(`${health}/readyz`))[1] === "stale", deadline("stale"));
  expect(await statusOf(`${health}/healthz`)).toEqual([200, "ok"]);
  expect(linesOf(wrapper)).toEqual([`start ${first}`]);

  await using _after = startDevStore({ port, token, secrets: secrets(second) });
  await wrapper.prints(`start ${second}`);
  await waitFor(async () => (await statusOf(`${health}/readyz`))[1] === "ready", deadline("ready"));
  expect(linesOf(wrapper)).toEqual([`start ${first}`, "term -", `start ${second}`]);
});

test.concurrent("a wrapper that waits for its vault says why at /readyz and /v1/check", async () => {
  const token = canary();
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: wrapperEnvironment(`http://127.0.0.1:${freePort()}`, token),
  });
  const health = await healthAddress(wrapper);
  for (const page of ["/readyz", "/v1/check"]) {
    const isSaid = async () => {
      const { reason, code } = Object(await (await fetch(`${health}${page}`)).json());
      return code === "VAULT_FAILED" && /the secrets are being fetched: .*refused/.test(reason);
    };
    await waitFor(isSaid, deadline(`the reason at ${page}`));
  }
  expect(wrapper.stderr()).not.toContain(token);
});

test.concurrent("a vault that is sealed for a while causes no action", async () => {
  await using changing = changingStore();
  const { store, environment } = changing;
  const target = { address: store.address, rootToken: store.token };
  await using wrapper = await startWrapper({ program: [recorder], environment });
  await wrapper.prints("start ");
  await callBao(target, { method: "PUT", path: "sys/seal" });
  await logs(wrapper, '"code":"VAULT_FAILED"', 2);
  await callBao(target, { method: "PUT", path: "sys/unseal", body: { key: store.unsealKey } });
  await logs(wrapper, "the secrets can be checked again");
  expect(linesOf(wrapper)).toHaveLength(1);
  await wrapper.prints(`start ${await changing.change()}`);
});

test.concurrent("a token that expires while the vault is away is replaced when it is back", async () => {
  const [port, jwt] = [freePort(), canary()];
  const options = (password: string) => ({
    port,
    ...kubernetesLogins(jwt, { ttlMs: 3000 }),
    secrets: { "secret/data/app": { password } },
  });
  const [first, second] = [canary(), canary()];
  const before = startDevStore(options(first));
  const jwtPath = at("jwt");
  writeFileSync(jwtPath, jwt);
  const rest = withoutToken(wrapperEnvironment(before.address, ""));
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...rest,
      ...hurried,
      SVC_STALE_AFTER: "4s",
      VAULT_AUTH_ROLE: "app",
      SVC_AUTH_JWT_PATH: jwtPath,
    },
  });
  await wrapper.prints(`start ${first}`);
  const health = await healthAddress(wrapper);
  await before.stop();
  // Longer than the token lives.
  await waitFor(async () => (await statusOf(`${health}/readyz`))[1] === "stale", deadline("stale"));
  // A new store knows no old token: as after an expiry, it is refused.
  await using _after = startDevStore(options(second));
  await wrapper.prints(`start ${second}`);
  await waitFor(async () => (await statusOf(`${health}/readyz`))[1] === "ready", deadline("ready"));
});

test.concurrent("a login whose token expires while the vault is in trouble is repeated", async () => {
  const [jwt, password] = [canary(), canary()];
  await using store = startDevStore({
    ...kubernetesLogins(jwt, { ttlMs: 1000 }),
    secrets: { "secret/data/app": { password } },
  });
  const jwtPath = at("jwt-of-a-short-login");
  writeFileSync(jwtPath, jwt);
  let requests = 0;
  // The first reading is put off until the token of the first login has died.
  await using proxy = faultProxy({
    vaultPort: () => Number(new URL(store.address).port),
    faultOf: () => {
      requests += 1;
      return requests === 2 ? { kind: "status", status: 503, retryAfterS: 2 } : undefined;
    },
  });
  const rest = withoutToken(wrapperEnvironment(proxy.address, ""));
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...rest, ...hurried, VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: jwtPath },
  });
  await wrapper.prints(`start ${password}`);
});

test.concurrent("a node that is behind is not listened to", async () => {
  const [token, old] = [canary(), canary()];
  const options = { token, secrets: { "secret/data/app": { password: old } } };
  await using behind = startDevStore(options);
  await using active = startDevStore(options);
  const target = { address: active.address, rootToken: token };
  const current = canary();
  await writeSecret(target, "secret/data/app", { password: current });
  let node = active;
  await using proxy = faultProxy({
    vaultPort: () => Number(new URL(node.address).port),
    faultOf: () => undefined,
  });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...wrapperEnvironment(proxy.address, token),
      ...hurried,
      SVC_LOG_LEVEL: "debug",
    },
  });
  await wrapper.prints(`start ${current}`);
  node = behind;
  await logs(wrapper, "a node of the vault is behind", 3);
  node = active;
  const next = canary();
  await writeSecret(target, "secret/data/app", { password: next });
  await wrapper.prints(`start ${next}`);
  expect(linesOf(wrapper)).toEqual([`start ${current}`, "term -", `start ${next}`]);
});

async function statusOf(url: string): Promise<readonly [number, unknown]> {
  const answer = await fetch(url);
  const { status } = (await answer.json()) as { readonly status?: unknown };
  return [answer.status, status];
}
