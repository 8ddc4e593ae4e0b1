import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { needsRoot } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { compiled, copyOf } from "../harness/programs/preload-stage.ts";
import { variantOf } from "../harness/programs/program-variants.ts";
import { shownDelivery } from "../harness/wrapper/shown-delivery.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password, at } = setStage();
const BEHAVED = 7;
chmodSync(dirname(at("program")), 0o755);
const child = copyOf(variantOf("glibc, dynamic"), at("bin/shows"));
const withCapability = copyOf(variantOf("glibc, dynamic"), at("bin/shows-capability"));
Bun.spawnSync(["setcap", "cap_net_raw+ep", withCapability]);
const pipe = at("pipe");
Bun.spawnSync(["mkfifo", "--mode=755", pipe]);
const parents = {
  glibc: compiled("behaves-oddly", ["gcc", "-pthread"]),
  musl: compiled("behaves-oddly", ["musl-gcc", "-pthread"]),
};

for (const [library, parent] of Object.entries(parents)) {
  describe(`a program of ${library} starts a child, which has the value:`, () => {
    const rows: readonly (readonly [name: string, way: string, hidden: boolean])[] = [
      ["while it acts for another user", "effective-user", false],
      ["while it acts for another group", "effective-group", false],
      ["with file actions that close each descriptor", "closing-each", true],
      ["with file actions that cover descriptors", "covering-each", true],
    ];
    for (const [name, way, hidden] of rows) {
      const declare = way.startsWith("effective-") ? needsRoot(test.concurrent) : test.concurrent;
      declare(name, async () => {
        const shown = await shownBy([parent, way, child]);
        expect(shown.variables.get("DB_PASSWORD")).toBe(password);
        expect(shown.descriptors.filter((target) => target.includes("secretmem"))).toEqual([]);
        if (hidden) expect(leaksIn(shown.block.join("\n"), [password])).toEqual([]);
      });
    }
  });

  describe(`a program of ${library} that has overwritten its variable:`, () => {
    const rows: readonly (readonly [name: string, way: string, found: string | undefined])[] = [
      ["with zeros, passes the rest on", "overwriting", ""],
      ["and its name, has none to hand on", "overwriting-whole", undefined],
    ];
    for (const [name, way, found] of rows) {
      test.concurrent(name, async () => {
        const shown = await shownBy([parent, way, child]);
        expect(shown.variables.get("DB_PASSWORD")).toBe(found);
      });
    }
  });

  describe(`a program of ${library} finds the same as without the interposer:`, () => {
    const rows: readonly (readonly [name: string, way: string, program: string])[] = [
      ["that a pipe cannot be executed", "executing-pipe", pipe],
      ["the status of a command behind a stream that fclose has closed", "closing-stream", child],
      ["300 streams to commands at once", "opening-many", child],
      ["its signals after a thread was cancelled in system", "cancelling-system", child],
      ["no region in a child that another thread started bare", "spawning-by-threads", child],
    ];
    for (const [name, way, program] of rows) {
      test.concurrent(name, async () => {
        const { exitCode, stderr } = await run([parent, way, program]);
        expect(exitCode, stderr).toBe(BEHAVED);
      });
    }
  });
}

// It gives a file a capability, and a program another root.
needsRoot(describe)("if a child cannot take the interposer", () => {
  test.concurrent("because of capabilities, no_new_privs does not change that", async () => {
    const words = ["setpriv", "--reuid=65534", "--no-new-privs", withCapability];
    const { stdout, stderr } = await run(words);
    const shown = shownDelivery(stdout, stderr);
    expect(shown.variables.get("DB_PASSWORD")).toBe(password);
  });

  test.concurrent("its loader does not complain of it", async () => {
    const root = rootWith("/bin/true");
    const { exitCode, stderr } = await run(["unshare", `--root=${root}`, "/bin/true"]);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toContain("libsvc-preload.so");
  });
});

describe("a program with a loader and no libc", () => {
  const program = compiled("has-no-libc", ["gcc", "-nostdlib", "-nostartfiles", "-pie", "-fPIE"]);

  test.concurrent("has its value", async () => {
    const { exitCode, stdout, stderr } = await run([program]);
    expect(exitCode, stderr).toBe(BEHAVED);
    expect(stdout.toString()).toBe(password);
  });

  test.concurrent("has its value as a child", async () => {
    const { exitCode, stdout, stderr } = await run(["sh", "-c", `${program}; exit $?`]);
    expect(exitCode, stderr).toBe(BEHAVED);
    expect(stdout.toString()).toBe(password);
  });
});

/** A folder for chroot(2) with a program and its libraries, without the interposer. */
function rootWith(program: string): string {
  const root = at("root");
  const loaded = Bun.spawnSync(["ldd", program]).stdout.toString();
  for (const path of [program, ...(loaded.match(/\/\S+/g) ?? [])]) copyOf(path, root + path);
  return root;
}

async function shownBy(program: readonly string[]) {
  const { exitCode, stdout, stderr } = await run(program);
  expect(exitCode, stderr).toBe(BEHAVED);
  return shownDelivery(stdout, stderr);
}

function run(program: readonly string[]) {
  return runWrapper({ program, environment: { ...environment, SVC_DELIVERY: "preload" } });
}
