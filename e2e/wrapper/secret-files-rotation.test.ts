import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, needsRoot, waitFor } from "@svc/testing";
import {
  type ChangingStore,
  changingStore,
  deadline,
  linesOf,
  logs,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { onlyVersion, readerIn, seenBy } from "./secret-file-stage.ts";

// Files of SVC_FILE_MAP are replaced all at once, and the program is told.

setDefaultTimeout(90_000);
const { at } = setLifecycleStage();
mkdirSync(at("scripts"));
const reader = readerIn(at("scripts"));
const rootTest = needsRoot(test);
const rootDescribe = needsRoot(describe);
const place = () => at(crypto.randomUUID());
const atOnce = { SVC_ROTATION_DEBOUNCE: "0s", SVC_LOG_LEVEL: "debug" };

/** Gives all fields one new value. */
async function change({ write }: ChangingStore): Promise<string> {
  const value = canary();
  await write({ key: value, crt: value, password: value });
  return value;
}

const mapOf = (folder: string) => `key=${folder}/key,crt=${folder}/crt`;

/** A store whose secret has a first value, and a wrapper's settings for files alone. */
async function filesOf(folder: string) {
  const store = changingStore();
  const value = await change(store);
  const { SVC_ENV_MAP: _, ...vault } = store.environment;
  return { store, value, environment: { ...vault, ...atOnce, SVC_FILE_MAP: mapOf(folder) } };
}

rootDescribe("a running program", () => {
  test.concurrent("gets all files of a version at once and SIGHUP, ten times", async () => {
    const folder = place();
    const { store, value, environment } = await filesOf(folder);
    await using _store = store;
    await using wrapper = await startWrapper({ program: reader(folder), environment });
    await wrapper.prints(`start ${value}`);
    for (let round = 0; round < 10; round += 1) {
      const next = await change(store);
      await wrapper.prints(`hangup ${next}`);
    }
    expect(wrapper.stdout().toString()).not.toContain("MIXED");
    expect(wrapper.stdout().toString()).not.toContain("LOST");
    expect(wrapper.stdout().toString()).toContain("opened before kept");
    expect(wrapper.stdout().toString()).toContain("watched ..data");
    expect(await onlyVersion(wrapper, folder)).toBe("..v11");
    wrapper.kill(15);
    await wrapper.ended;
  });

  test.concurrent("gets variables and files of one fetch, by SIGHUP", async () => {
    const folder = place();
    const { store, value, environment } = await filesOf(folder);
    await using _store = store;
    // Bun copies its environment at its start: a shell asks for it again.
    const script = `trap 'echo "hangup $(cat ${folder}/key) $(printenv DB_PASSWORD)"' HUP
      echo "start $(cat ${folder}/key) $(printenv DB_PASSWORD)"; while :; do sleep 0.1; done`;
    const both = { ...environment, SVC_ENV_MAP: "password=DB_PASSWORD", SVC_ROTATION: "sighup" };
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", script],
      environment: both,
    });
    await wrapper.prints(`start ${value} ${value}`);
    for (let round = 0; round < 3; round += 1) {
      const next = await change(store);
      await wrapper.prints(`hangup ${next} ${next}`);
    }
  });

  test.concurrent("is replaced by one with the new variables and files", async () => {
    const folder = place();
    const { store, value, environment } = await filesOf(folder);
    await using _store = store;
    const both = { ...environment, SVC_ENV_MAP: "password=DB_PASSWORD" };
    await using wrapper = await startWrapper({ program: reader(folder), environment: both });
    await wrapper.prints(`start ${value} ${value}`);
    const next = await change(store);
    await wrapper.prints(`start ${next} ${next}`);
    expect(wrapper.stdout().toString()).not.toContain("MIXED");
    expect(await onlyVersion(wrapper, folder)).toBe("..v2");
  });

  test.concurrent("without a handler gets new files and no signal", async () => {
    const folder = place();
    const { store, value, environment } = await filesOf(folder);
    await using _store = store;
    const script = `while :; do echo "has $(cat ${folder}/key)"; sleep 0.1; done`;
    const program = ["/bin/sh", "-c", script];
    await using wrapper = await startWrapper({ program, environment });
    await wrapper.prints(`has ${value}`);
    await wrapper.prints(`has ${await change(store)}`);
    await logs(wrapper, "has no handler for SIGHUP, and is not told");
    await wrapper.prints(`has ${await change(store)}`);
    wrapper.kill(15);
    expect((await wrapper.ended).exitCode).toBe(143);
  });

  test.concurrent("keeps its files if it fills their memory, until it has made room", async () => {
    const folder = place();
    const { store, value, environment } = await filesOf(folder);
    await using _store = store;
    await using wrapper = await startWrapper({ program: reader(folder), environment });
    await wrapper.prints(`start ${value}`);
    const junk = join(seenBy(wrapper, folder), "junk");
    const fill = () => writeFileSync(junk, Buffer.alloc(32 << 20));
    expect(fill).toThrow("ENOSPC");
    const next = await change(store);
    const log = await logs(wrapper, "ENOSPC");
    expect(log).toContain("FILE_UNWRITTEN");
    expect(readFileSync(join(seenBy(wrapper, folder), "key"), "utf8")).toBe(value);
    expect(await onlyVersion(wrapper, folder)).toBe("..v1");
    rmSync(junk);
    await wrapper.prints(`hangup ${next}`);
    expect(wrapper.stdout().toString()).not.toContain("MIXED");
  });

  test.concurrent("that ends by itself finds the files at its next start", async () => {
    const folder = place();
    const { store, value, environment } = await filesOf(folder);
    await using _store = store;
    const script = `echo "start $(cat ${folder}/key)"; sleep 0.2; exit 1`;
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", script],
      environment: { ...environment, SVC_RESTART: "on-failure", SVC_RESTART_MAX_DELAY: "1s" },
    });
    await waitFor(() => linesOf(wrapper).length >= 3, deadline("three starts"));
    expect(new Set(linesOf(wrapper))).toEqual(new Set([`start ${value}`]));
    wrapper.kill(15);
    await wrapper.ended;
  });
});

rootTest("an unchanged secret changes no file", async () => {
  const folder = place();
  const { store, value, environment } = await filesOf(folder);
  await using _store = store;
  await using wrapper = await startWrapper({ program: reader(folder), environment });
  await wrapper.prints(`start ${value}`);
  await store.write({ key: value, crt: value, password: value });
  const checked = "the secrets were checked";
  await logs(wrapper, checked, wrapper.stderr().split(checked).length + 2);
  expect(await onlyVersion(wrapper, folder)).toBe("..v1");
  expect(linesOf(wrapper).filter((line) => line.startsWith("hangup"))).toEqual([]);
});
