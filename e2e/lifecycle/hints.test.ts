import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { canary, freePort, waitFor } from "@svc/testing";
import {
  changingStore,
  deadline,
  healthAddress,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { type HintHub, hintHub } from "./hint-hub.ts";

const { at } = setLifecycleStage();

/** A wrapper whose operator says hints, and its store. */
async function stage(change: Readonly<Record<string, string>> = {}) {
  const token = canary();
  const path = at(`hints-${crypto.randomUUID()}`);
  writeFileSync(path, token);
  const hub = await hintHub(path);
  const changing = changingStore();
  const wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...changing.environment,
      ...hub.environment,
      ...{ HEALTH_ADDR: "127.0.0.1:0", SVC_ROTATION: "sighup", SVC_LOG_LEVEL: "debug" },
      ...change,
    },
  });
  await wrapper.prints("start ");
  return {
    ...{ hub, changing, wrapper, token },
    metric: async (name: string) => metricOf(await healthAddress(wrapper), name),
    [Symbol.asyncDispose]: async () => {
      await wrapper[Symbol.asyncDispose]();
      await changing[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
    },
  };
}

/** The sum of a metric's samples; NaN if it is absent. */
async function metricOf(address: string, name: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const samples = text.split("\n").filter((line) => line.startsWith(`svc_wrapper_${name}`));
  if (samples.length === 0) return Number.NaN;
  return samples.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

async function hasSubscribed(hub: HintHub, count = 1): Promise<void> {
  await waitFor(() => hub.subscriptions().length >= count, deadline(`${count} subscriptions`));
}

test.concurrent("a wrapper subscribes with its versions, and says nothing of token and key", async () => {
  await using story = await stage({ RENEWAL_INTERVAL: "1h" });
  const { hub, wrapper, token, changing } = story;
  await hasSubscribed(hub);
  const [subscription] = hub.subscriptions();
  expect(subscription).toEqual({
    ...{ token, tls: false, secrets: [{ path: "secret/data/app", version: 1 }] },
    vault: { address: changing.store.address },
    port: Number(new URL(await healthAddress(wrapper)).port),
    key: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await hub.say({})).toBe(200);
  await logs(wrapper, "the operator says hints");
  expect(wrapper.stderr()).not.toContain(token);
  expect(wrapper.stderr()).not.toContain(subscription?.key ?? "");
});

test.concurrent("a hint brings a new value at once, and the wrapper subscribes with it", async () => {
  await using story = await stage({ RENEWAL_INTERVAL: "1h" });
  const { hub, wrapper, changing } = story;
  await hasSubscribed(hub);
  await logs(wrapper, "the secrets were checked");
  const value = await changing.change();
  expect(await hub.say({ news: "changed", validMs: 0 })).toBe(200);
  await waitFor(() => linesOf(wrapper).at(-1)?.includes(value) === true, deadline("the value"));
  await hasSubscribed(hub, 2);
  expect(hub.subscriptions().at(-1)?.secrets).toEqual([{ path: "secret/data/app", version: 2 }]);
});

test.concurrent("a wrapper asks the vault no more while hints say that all is the newest", async () => {
  await using story = await stage();
  const { hub, wrapper, metric } = story;
  await hasSubscribed(hub);
  expect(await hub.say({})).toBe(200);
  expect(await metric("hints_fresh")).toBe(1);
  await logs(wrapper, "the secrets were checked");
  const calm = async () => {
    const before = await metric("checks_total");
    await Bun.sleep(1500);
    return (await metric("checks_total")) === before;
  };
  await waitFor(calm, deadline("a second and a half without a check"));
});

test.concurrent("a wrapper checks as before once hints have stopped", async () => {
  await using story = await stage();
  const { hub, wrapper, changing, metric } = story;
  await hasSubscribed(hub);
  expect(await hub.say({ validMs: 1000 })).toBe(200);
  const value = await changing.change();
  await logs(wrapper, "the operator's hints have stopped");
  await waitFor(() => linesOf(wrapper).at(-1)?.includes(value) === true, deadline("the value"));
  expect(await metric("hints_fresh")).toBe(0);
  await hasSubscribed(hub, 2);
});

test.concurrent("a forged hint is refused, and the wrapper goes on checking", async () => {
  await using story = await stage();
  const { hub, wrapper, changing, metric } = story;
  await hasSubscribed(hub);
  expect(await hub.say({}, "00".repeat(32))).toBe(403);
  expect(await hub.say({ sequence: 7 })).toBe(200);
  expect(await hub.say({ sequence: 7, news: "changed" })).toBe(403);
  expect(await hub.say({ sequence: 8, news: "changed", validMs: 0 })).toBe(200);
  const address = await healthAddress(wrapper);
  expect((await fetch(`${address}/v1/hints`, { method: "POST" })).status).toBe(403);
  expect((await fetch(`${address}/v1/hints`)).status).toBe(405);
  expect(await metric('hints_total{hint="refused"}')).toBe(3);
  const value = await changing.change();
  await waitFor(() => linesOf(wrapper).at(-1)?.includes(value) === true, deadline("the value"));
});

test.concurrent("an operator that refuses or is away leaves the wrapper as it was", async () => {
  await using story = await stage();
  const { hub, wrapper, changing } = story;
  await hasSubscribed(hub);
  hub.answer(() =>
    Response.json({ error: { message: "the token is not bound" } }, { status: 403 }),
  );
  await changing.change();
  await logs(wrapper, "for hints: HTTP 403: the token is not bound");
  await using away = await stage({ SVC_PERMITS_ADDR: `https://127.0.0.1:${freePort()}` });
  await logs(away.wrapper, "for hints: ");
  const value = await away.changing.change();
  const has = () => linesOf(away.wrapper).at(-1)?.includes(value) === true;
  await waitFor(has, deadline("the value"));
});
