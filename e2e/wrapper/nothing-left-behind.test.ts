import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { needsRoot, waitFor } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { searchProcess, treeOf } from "../harness/processes/search-process.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { libraryVariant } from "../harness/programs/program-variants.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password, store, at } = setStage();
const secrets = [password, store.token];
const TIMEOUT_MS = 180_000;
const SIGABRT = 6;
const HOLDS = "holds ";

/** Programs that have their value and copy it nowhere, with their delivery methods. */
const programs: Readonly<Record<string, { words: readonly string[]; delivery: string }>> = {
  "a C program by inject": { words: [fixture("holds-secret")], delivery: "inject" },
  "a C program behind a shell that has become it": {
    words: ["/bin/sh", "-c", `exec ${fixture("holds-secret")}`],
    delivery: "inject",
  },
  "a C program by preload": { words: [fixture("holds-secret")], delivery: "preload" },
  "a static Go program by library": { words: [libraryVariant(), "wait"], delivery: "library" },
};

describe("nothing is left behind of the token and the value:", () => {
  for (const [name, { words, delivery }] of Object.entries(programs)) {
    // The wrapper is in the tree, and it is not dumpable.
    needsRoot(test)(
      `in no process of the tree, with ${name}`,
      async () => {
        await using wrapper = await holding(words, delivery);
        // A courier that looks at the token may be at work, soon after the start.
        const alone = { deadlineMs: 5000, what: "no courier at work" };
        await waitFor(() => treeOf(wrapper.pid).length === 2, alone);
        const tree = treeOf(wrapper.pid);
        expect(tree.flatMap((pid) => searchProcess(pid, secrets))).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test(
      `in no core dump, with ${name}`,
      async () => {
        const folder = at(`cores-${crypto.randomUUID()}`);
        await using wrapper = await holding(words, delivery, folder);
        const [program = 0] = childrenOf(wrapper.pid);
        const gcore = Bun.spawnSync(["gcore", "-o", join(folder, "gcore"), String(program)]);
        expect(gcore.exitCode, gcore.stderr.toString()).toBe(0);
        wrapper.kill(SIGABRT, program);
        expect((await wrapper.ended).exitCode).toBe(128 + SIGABRT);
        const cores = readdirSync(folder);
        expect(cores.some((core) => core.startsWith("core"))).toBe(true);
        expect(cores.some((core) => core.startsWith("gcore"))).toBe(true);
        for (const core of cores) {
          expect(leaksIn(readFileSync(join(folder, core)), secrets), core).toEqual([]);
        }
      },
      TIMEOUT_MS,
    );
  }

  test("and the search finds present values: by env, in memory, environment and core dumps", async () => {
    const folder = at("cores-control");
    await using wrapper = await holding([fixture("holds-secret")], "env", folder);
    const [program = 0] = childrenOf(wrapper.pid);
    const found = searchProcess(program, secrets);
    expect(found).toContain(`memory of ${program}: ${password}`);
    expect(found).toContain(`/proc/${program}/environ: ${password} as it is`);
    wrapper.kill(SIGABRT, program);
    await wrapper.ended;
    const [core = ""] = readdirSync(folder);
    expect(leaksIn(readFileSync(join(folder, core)), secrets)).toContain(`${password} as it is`);
  });
});

async function holding(words: readonly string[], delivery: string, folder = at("")) {
  mkdirSync(folder, { recursive: true });
  const wrapper = await startWrapper({
    program: words,
    // Go programs end without a core dump by default.
    environment: { ...environment, SVC_DELIVERY: delivery, GOTRACEBACK: "crash" },
    startsAs: ["-l", `core=${2 ** 30}`],
    folder,
  });
  await wrapper.prints(HOLDS);
  return wrapper;
}
