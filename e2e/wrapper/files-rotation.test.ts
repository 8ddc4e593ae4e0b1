import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { renameSync, writeFileSync } from "node:fs";
import { canary, waitFor } from "@svc/testing";
import {
  changingStore,
  deadline,
  healthAddress,
  hurried,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { makeVolume, replaceFile, withoutVault } from "./file-stage.ts";

// A file that changes is found, and its values arrive as those of a vault do.

setDefaultTimeout(90_000);
const { at } = setLifecycleStage();
const atOnce = { ...withoutVault, ...hurried, SVC_ROTATION_DEBOUNCE: "0s" };

/** A wrapper that watches one file, with its path and first value. */
async function watchesFile(more: Readonly<Record<string, string>> = {}) {
  const path = at(crypto.randomUUID());
  const value = canary();
  writeFileSync(path, value);
  const wrapper = await startWrapper({
    flags: [`--secrets=DB_PASSWORD=file:${path}`],
    program: [recorder],
    environment: { ...atOnce, ...more },
  });
  await wrapper.prints(`start ${value}`);
  return { path, value, wrapper };
}

for (const delivery of ["inject", "preload", "env"]) {
  test.concurrent(`a changed file replaces the program: ${delivery}`, async () => {
    const { path, value: first, wrapper } = await watchesFile({ SVC_DELIVERY: delivery });
    await using _wrapper = wrapper;
    const second = canary();
    replaceFile(path, second);
    await wrapper.prints(`start ${second}`);
    expect(linesOf(wrapper)).toEqual([`start ${first}`, "term -", `start ${second}`]);
    wrapper.kill(15);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  });
}

for (const delivery of ["inject", "preload"]) {
  test.concurrent(`new values are readable when SIGHUP arrives: ${delivery}`, async () => {
    const more = { SVC_ROTATION: "sighup", SVC_DELIVERY: delivery };
    const { path, wrapper } = await watchesFile(more);
    await using _wrapper = wrapper;
    for (let round = 0; round < 3; round += 1) {
      const value = canary();
      replaceFile(path, value);
      await wrapper.prints(`hangup ${value}`);
    }
    expect(linesOf(wrapper)).toHaveLength(4);
  });
}

test.concurrent("a token that has no use changes nothing, and shows nowhere", async () => {
  const token = canary();
  const { path, wrapper } = await watchesFile({ VAULT_TOKEN: token });
  await using _wrapper = wrapper;
  const second = canary();
  replaceFile(path, second);
  await wrapper.prints(`start ${second}`);
  expect(wrapper.stderr()).toContain("VAULT_TOKEN: has no effect: every secret is a file");
  expect(wrapper.stderr()).not.toContain(token);
});

test.concurrent("a change is found at once, long before the interval is over", async () => {
  const { path, wrapper } = await watchesFile({ RENEWAL_INTERVAL: "1h" });
  await using _wrapper = wrapper;
  const second = canary();
  replaceFile(path, second);
  await wrapper.prints(`start ${second}`);
});

test.concurrent("POST /v1/check finds a change, and says that the program is current", async () => {
  const { path, wrapper } = await watchesFile({ RENEWAL_INTERVAL: "1h" });
  await using _wrapper = wrapper;
  const base = await healthAddress(wrapper);
  const second = canary();
  replaceFile(path, second);
  expect((await fetch(`${base}/v1/check`, { method: "POST" })).status).toBe(202);
  await wrapper.prints(`start ${second}`);
  const isCurrent = async () =>
    (await (await fetch(`${base}/v1/check`)).text()).includes('"current"');
  await waitFor(isCurrent, deadline("current"));
});

test.concurrent("with none a change is left alone", async () => {
  const { path, value, wrapper } = await watchesFile({ SVC_ROTATION: "none" });
  await using _wrapper = wrapper;
  replaceFile(path, canary());
  await Bun.sleep(4000);
  expect(linesOf(wrapper)).toEqual([`start ${value}`]);
});

test.concurrent("the same content in another file, and a field that is not mapped, change nothing", async () => {
  const path = at(`${crypto.randomUUID()}.json`);
  writeFileSync(path, '{"password":"one","other":"x"}');
  await using wrapper = await startWrapper({
    flags: [`--secrets=DB_PASSWORD=file:${path}#password`],
    program: [recorder],
    environment: atOnce,
  });
  await wrapper.prints("start one");
  replaceFile(path, '{"password":"one","other":"x"}');
  replaceFile(path, '{"other":"y", "password":"one"}');
  await Bun.sleep(1000);
  replaceFile(path, '{"password":"two"}');
  await wrapper.prints("start two");
  expect(linesOf(wrapper)).toEqual(["start one", "term -", "start two"]);
});

test.concurrent("a file that vanishes leaves the program its values, and the wrapper says so", async () => {
  const { path, value: first, wrapper } = await watchesFile({ SVC_STALE_AFTER: "1s" });
  await using _wrapper = wrapper;
  const base = await healthAddress(wrapper);
  renameSync(path, `${path}.away`);
  const cause = `read file:${path}: it is not there (ENOENT)`;
  await logs(wrapper, cause);
  const metrics = async () => (await fetch(`${base}/metrics`)).text();
  await waitFor(
    async () => (await metrics()).includes('code="FILE_UNREADABLE"'),
    deadline("the metric of the trouble"),
  );
  const readiness = async () => (await fetch(`${base}/readyz`)).text();
  await waitFor(async () => (await readiness()).includes('"stale"'), deadline("stale"));
  expect(linesOf(wrapper)).toEqual([`start ${first}`]);
  const second = canary();
  writeFileSync(path, second);
  await wrapper.prints(`start ${second}`);
  await waitFor(async () => (await readiness()).includes('"ready"'), deadline("ready"));
});

test.concurrent("a file with a value that cannot be delivered leaves the program alone", async () => {
  const { path, value, wrapper } = await watchesFile();
  await using _wrapper = wrapper;
  replaceFile(path, "nul\0");
  await logs(wrapper, "VALUE_REFUSED");
  expect(linesOf(wrapper)).toEqual([`start ${value}`]);
  const second = canary();
  replaceFile(path, second);
  await wrapper.prints(`start ${second}`);
});

test.concurrent("beside a vault both are watched", async () => {
  await using changing = changingStore();
  const path = at("a");
  writeFileSync(path, "one");
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", 'echo "pair $A $DB_PASSWORD"; exec sleep 600'],
    environment: {
      ...changing.environment,
      SVC_SECRET_PATHS: `file:${path},secret/data/app`,
      SVC_ENV_MAP: "a=A;password=DB_PASSWORD",
    },
  });
  const first = changing.value();
  await wrapper.prints(`pair one ${first}`);
  replaceFile(path, "two");
  await wrapper.prints(`pair two ${first}`);
  const second = await changing.change();
  await wrapper.prints(`pair two ${second}`);
  expect(linesOf(wrapper)).toHaveLength(3);
});

describe("a volume that changes again and again", () => {
  for (const rotation of ["restart", "sighup"]) {
    test.concurrent(`never gives the program two versions at once: ${rotation}`, async () => {
      const volume = makeVolume(at(crypto.randomUUID()), { user: "v0", password: "v0" });
      await using wrapper = await startWrapper({
        program: ["/bin/sh", "-c", pairScript],
        environment: {
          ...{ ...atOnce, RENEWAL_INTERVAL: "100ms" },
          SVC_ROTATION: rotation,
          SVC_SECRET_PATHS: `file:${volume.path}`,
          SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD",
        },
      });
      await wrapper.prints("pair v0 v0");
      await swapWhile(wrapper, volume.replace);
      volume.replace({ user: "last", password: "last" });
      await wrapper.prints("pair last last");
      const pairs = linesOf(wrapper).filter((line) => line.startsWith("pair "));
      for (const pair of pairs) expect(pair).toMatch(/^pair (\S+) \1$/);
      expect(new Set(pairs).size).toBeGreaterThan(3);
    });
  }
});

/** Reads both by another program, which gets the values of that moment. */
const pairScript = `
  say() { /usr/bin/printenv DB_USER DB_PASSWORD | paste -d' ' - - | sed 's/^/pair /'; }
  trap say HUP
  say
  while :; do sleep 0.05; done`;

/** Replaces the volume's files every few milliseconds until the program has seen some versions. */
async function swapWhile(
  wrapper: RunningWrapper,
  replace: (files: Readonly<Record<string, string>>) => void,
): Promise<void> {
  const endMs = performance.now() + 40_000;
  for (let version = 1; performance.now() < endMs; version += 1) {
    replace({ user: `v${version}`, password: `v${version}` });
    await Bun.sleep(5);
    if (new Set(linesOf(wrapper)).size > 4) return;
  }
}
