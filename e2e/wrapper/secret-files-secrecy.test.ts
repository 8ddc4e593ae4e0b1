import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, needsRoot, temporaryFolder } from "@svc/testing";
import { findInMemory, leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, environOf } from "../harness/processes/process-facts.ts";
import { treeOf } from "../harness/processes/search-process.ts";
import { changingStore, healthAddress, hurried } from "../harness/wrapper/lifecycle-stage.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { readerIn, seenBy } from "./secret-file-stage.ts";

// A file's value is in the memory of its mount, and nowhere else.

setDefaultTimeout(90_000);
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
chmodSync(folder.path, 0o755);
mkdirSync(at("scripts"));
const reader = readerIn(at("scripts"));
afterAll(() => folder[Symbol.dispose]());
expectNothingLeft();
const rootTest = needsRoot(test);

/** Every process of this PID namespace. */
const processes = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

/** A file of /proc; empty if the process has ended. */
function factOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}

/** The files that were written since a moment, on every file system that root sees from here. */
function filesSince(stamp: string): readonly string[] {
  const mounts = factOf("self", "mountinfo")
    .split("\n")
    .filter((line) => / - (?:tmpfs|ramfs|ext4|xfs|btrfs|overlay|hugetlbfs) /.test(line))
    .map((line) => line.split(" ")[4] ?? "/");
  const places = [
    ...new Set([...mounts.filter((path) => path !== "/"), "/tmp", "/var", "/run", "/etc"]),
  ];
  const found = Bun.spawnSync(
    ["find", ...places, folder.path, "-xdev", "-type", "f", "-newer", stamp, "-size", "-20M"],
    { stderr: "ignore" },
  );
  return found.stdout.toString().split("\n").filter(Boolean);
}

function filesWith(paths: readonly string[], secrets: readonly string[]): readonly string[] {
  return paths.filter((path) => {
    try {
      return leaksIn(readFileSync(path), secrets).length > 0;
    } catch {
      // It is gone, or is not for reading.
      return false;
    }
  });
}

rootTest(
  "from outside of the mount no file, environment, argument or log has a value",
  async () => {
    const place = at("place");
    const stamp = at("stamp");
    writeFileSync(stamp, "");
    await using store = changingStore();
    const values = [canary(), canary()];
    const [first = "", second = ""] = values;
    await store.write({ key: first, crt: first });
    const message = at("message");
    writeFileSync(message, "");
    const { SVC_ENV_MAP: _, ...vault } = store.environment;
    await using wrapper = await startWrapper({
      program: reader(place),
      environment: {
        ...{ ...vault, ...hurried, SVC_ROTATION_DEBOUNCE: "0s", SVC_LOG_LEVEL: "debug" },
        ...{
          SVC_TERMINATION_LOG: message,
          SVC_FILE_MAP: `key=${place}/key#env=KEY,crt=${place}/crt`,
        },
      },
    });
    // The program prints its values: its output is a pipe of this test.
    await wrapper.prints(`start ${first}`);
    await store.write({ key: second, crt: second });
    await wrapper.prints(`hangup ${second}`);

    expect(readdirSync(place)).toEqual([]);
    expect(filesWith(filesSince(stamp), values)).toEqual([]);
    const mounted = processes().filter((pid) => factOf(pid, "mountinfo").includes(place));
    const program = String(childrenOf(wrapper.pid)[0]);
    // A courier may be at work, too.
    const family = [wrapper.pid, ...treeOf(wrapper.pid)].map(String);
    expect(mounted).toContain(program);
    expect(mounted.filter((pid) => !family.includes(pid) && factOf(pid, "stat") !== "")).toEqual(
      [],
    );
    for (const pid of processes()) {
      if (pid === String(process.pid)) continue;
      expect(leaksIn(factOf(pid, "environ"), values)).toEqual([]);
      expect(leaksIn(factOf(pid, "cmdline"), values)).toEqual([]);
    }
    expect(findInMemory(wrapper.pid, values)).toEqual([]);
    const base = await healthAddress(wrapper);
    const pages = ["/healthz", "/readyz", "/metrics", "/v1/check"];
    const answers = pages.map(async (path) => (await fetch(`${base}${path}`)).text());
    expect(leaksIn((await Promise.all(answers)).join("\n"), values)).toEqual([]);
    expect(leaksIn(wrapper.stderr() + readFileSync(message, "utf8"), values)).toEqual([]);

    // The search would find them: inside they are there, and in memory that is never swapped.
    const inside = seenBy(wrapper, place);
    expect(filesWith([join(inside, "key"), join(inside, "..data/1-crt")], [second])).toHaveLength(
      2,
    );
    const line =
      factOf(program, "mountinfo")
        .split("\n")
        .find((text) => text.includes(place)) ?? "";
    expect(line).toMatch(/nosuid,nodev,noexec.* - (?:tmpfs svc .*noswap|ramfs svc )/);

    wrapper.kill(15);
    await wrapper.ended;
    expect(processes().filter((pid) => factOf(pid, "mountinfo").includes(place))).toEqual([]);
    expect(readdirSync(place)).toEqual([]);
    expect(filesWith(filesSince(stamp), values)).toEqual([]);
  },
);

rootTest("the files are gone with a wrapper that is killed", async () => {
  const place = at("killed");
  const { store, environment, password } = oneSecretStore();
  await using _store = store;
  const { SVC_ENV_MAP: _, ...vault } = environment;
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", `cat ${place}/key; echo; exec sleep 1000`],
    environment: { ...vault, SVC_FILE_MAP: `password=${place}/key` },
  });
  await wrapper.prints(password);
  wrapper.kill(9);
  await wrapper.ended;
  expect(readdirSync(place)).toEqual([]);
});

rootTest("another user reads the files neither by the path nor by /proc", async () => {
  const place = at("other");
  const { store, environment, password } = oneSecretStore();
  await using _store = store;
  const { SVC_ENV_MAP: _, ...vault } = environment;
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", `cat ${place}/key; echo; exec sleep 1000`],
    environment: { ...vault, SVC_FILE_MAP: `password=${place}/key#mode=0444` },
  });
  await wrapper.prints(password);
  const program = childrenOf(wrapper.pid)[0] ?? 0;
  for (const path of [place, ...[wrapper.pid, program].map((pid) => `/proc/${pid}/root${place}`)]) {
    const words = ["setpriv", "--reuid", "65534", "--clear-groups", "cat", `${path}/key`];
    const other = Bun.spawnSync(words);
    expect([other.exitCode, other.stdout.toString()]).toEqual([1, ""]);
  }
  expect(leaksIn(environOf(program), [password])).toEqual([]);
});

describe("nothing that the wrapper prints holds a value", () => {
  const odd = canary();
  const { store, environment } = oneSecretStore({
    secrets: {
      "secret/data/app": {
        ...{ nul: `${odd}\0`, reference: `vault:${odd}`, large: odd.repeat(60_000) },
        ...{ text: odd, marked: `!${odd}`, nothing: null },
      },
    },
  });
  afterAll(() => store.stop());
  const { SVC_ENV_MAP: _, ...vault } = environment;
  const maps: readonly (readonly [name: string, map: string])[] = [
    ["success", "text=PATH"],
    ["a missing field", "gone=PATH"],
    ["a null", "nothing=PATH"],
    ["a reference", "reference=PATH"],
    ["no base64", "marked=PATH#base64"],
    ["no base64, with a NUL byte", "nul=PATH#base64"],
    ["a file that is too large", "large=PATH"],
    ["wrong settings", "text=PATH#mode=0777"],
  ];
  for (const [name, map] of maps) {
    needsRoot(test.concurrent)(name, async () => {
      const message = at(`message-${crypto.randomUUID()}`);
      writeFileSync(message, "");
      const ended = await runWrapper({
        program: ["/bin/true"],
        environment: {
          ...{ ...vault, SVC_LOG_LEVEL: "debug", SVC_TERMINATION_LOG: message },
          SVC_FILE_MAP: map.replace("PATH", at(`${crypto.randomUUID()}/file`)),
        },
      });
      expect(ended.exitCode === 0, ended.stderr).toBe(name === "success");
      const printed = [ended.stderr, ended.stdout.toString(), readFileSync(message, "utf8")];
      expect(leaksIn(printed.join("\n"), [odd])).toEqual([]);
    });
  }
});
