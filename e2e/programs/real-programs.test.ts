import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { waitFor } from "@svc/testing";
import { findInMemory, leaksIn } from "../harness/processes/leak-search.ts";
import { environOf, stateOf } from "../harness/processes/process-facts.ts";
import { treeOf } from "../harness/processes/search-process.ts";
import { ensurePrograms, postgresFolder } from "../harness/programs/ensure-programs.ts";
import { type RealProgram, realPrograms } from "../harness/programs/real-programs.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

ensurePrograms();
const { environment, password, store, at } = setStage();
const TIMEOUT_MS = 180_000;
const PATH = `${postgresFolder()}:/usr/local/bin:/usr/bin:/bin:/usr/sbin`;
const rows: string[] = [];
chmodSync(dirname(at("program")), 0o755);

afterAll(() => {
  process.stdout.write(`\n${rows.join("\n")}\n`);
});

describe.each([
  ["auto", "inject"],
  ["preload", "preload"],
])(
  "under %s each program has its value, and nothing is in /proc/PID/environ:",
  (setting, delivery) => {
    for (const [name, program] of Object.entries(realPrograms)) {
      test(
        name,
        async () => {
          const folder = at(`folder-${crypto.randomUUID()}`);
          mkdirSync(folder);
          chmodSync(folder, 0o777);
          await using wrapper = await startWrapper({
            program: program.words(folder),
            environment: {
              ...environment,
              ...program.environment?.(folder),
              PATH,
              SVC_DELIVERY: setting,
            },
            typing: true,
            // Processes that a shell leaves behind end with the namespace.
            firstProcess: true,
          });
          await shows(program, folder, wrapper);
          expect(wrapper.stderr()).toContain(`deliver by ${delivery}`);
          const [supervisor = 0, ...programs] = treeOf(wrapper.pid);
          const reached = delivery === "inject" || program.behindStatic !== true;
          for (const pid of reached ? programs : []) {
            expect(leaksIn(environOf(pid), [password, store.token]), `environ of ${pid}`).toEqual(
              [],
            );
          }
          expect(findInMemory(supervisor, [password, store.token])).toEqual([]);
          const copies = programs.filter((pid) => hasCopy(pid));
          rows.push(`| ${delivery} | ${name} | ${programs.length} | ${copies.length} |`);
          wrapper.kill(15);
          wrapper.type("\n");
          await wrapper.ended;
          await waitFor(() => programs.every((pid) => stateOf(pid) === undefined), {
            deadlineMs: 10_000,
            what: "every process to end",
          });
        },
        TIMEOUT_MS,
      );
    }
  },
);

/** False for a process that has ended: servers start some that do not live long. */
function hasCopy(pid: number): boolean {
  try {
    return findInMemory(pid, [password]).length > 0;
  } catch (error) {
    // ESRCH: it is about to end, and has no memory any more.
    const hasEnded = stateOf(pid) === undefined || errorCodeOf(error) === "ESRCH";
    if (hasEnded) return false;
    throw error;
  }
}

function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

async function shows(
  { ask }: RealProgram,
  folder: string,
  wrapper: Awaited<ReturnType<typeof startWrapper>>,
): Promise<void> {
  if (ask === undefined) return await wrapper.prints(`has ${password}`);
  const command = ask(folder, password);
  await waitFor(
    async () => {
      const asked = Bun.spawn([...command], { stdout: "pipe", stderr: "ignore" });
      return (await asked.stdout.text()).includes(`has ${password}`) || undefined;
    },
    { deadlineMs: 30_000, what: `the answer to ${command[0]}: ${wrapper.stderr()}` },
  );
}
