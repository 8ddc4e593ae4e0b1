import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { needsRoot, waitFor } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { treeOf } from "../harness/processes/search-process.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { changingStore } from "../harness/wrapper/lifecycle-stage.ts";
import { type Launch, startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

// In a PID namespace the wrapper finds the processes that its program has left, also if /proc shows
// them by the numbers of an outer namespace.

const changing = changingStore();
afterAll(() => changing[Symbol.asyncDispose]());
expectNothingLeft();

interface Place {
  readonly startsAs: readonly string[];
  readonly before: readonly string[];
}

const namespace = ["/usr/bin/unshare", "--pid", "--fork", "--kill-child"];
const ofUser = [...namespace, "--user", "--map-root-user"];
const places: Readonly<Record<string, Place>> = {
  "with its own /proc": { startsAs: [], before: [...namespace, "--mount-proc"] },
  "with the /proc of an outer one": { startsAs: [], before: namespace },
  "of a user's, with its own /proc": {
    startsAs: unprivileged,
    before: [...ofUser, "--mount-proc"],
  },
  "of a user's, with the /proc of an outer one": { startsAs: unprivileged, before: ofUser },
};

/** A shell that leaves a process behind: it says when it hears SIGTERM. */
const leavesListener = [
  'trap "exit 3" USR1',
  '(trap "echo heard; exit" TERM; kill -USR1 $$; while :; do /bin/sleep 0.1; done) &',
  "while :; do /bin/sleep 0.1; done",
].join("\n");
const sleeps = ["/bin/sleep", "600", ""].join("\x00");
/** A process of the namespace that the program has not started. */
const besideStranger =
  '(trap "echo hit" TERM; echo stranger; while :; do /bin/sleep 0.1; done) & exec "$@"';

for (const [name, { startsAs, before }] of Object.entries(places)) {
  const start = (program: readonly string[], environment: Launch["environment"]) =>
    startWrapper({
      environment: { ...changing.environment, ...environment },
      ...{ startsAs, program },
      instead: [
        ...[...before, "/bin/sh", "-c", besideStranger, "sh"],
        ...[wrapperPath, "--", ...program],
      ],
    });

  needsRoot(describe)(`in a PID namespace ${name}`, () => {
    for (const [role, SVC_DELIVERY] of [
      ["that delivers by its choice", "auto"],
      ["that delivers by env", "env"],
    ] as const) {
      test(`a wrapper ${role} ends the rest of its program, and no stranger`, async () => {
        await using wrapper = await start(["/bin/sh", "-c", leavesListener], { SVC_DELIVERY });
        const { exitCode, stdout, stderr } = await wrapper.ended;
        expect(exitCode, stderr).toBe(3);
        expect(stdout.toString(), stderr).toContain("heard");
        expect(stdout.toString()).not.toContain("hit");
        expect(stderr).toContain("left processes running");
        expect(stderr).not.toContain("ignored SIGTERM");
      });
    }

    test("a new program does not run beside the rest of the old one", async () => {
      const leavesSleep = "/bin/sleep 600 & echo $DB_PASSWORD; exec /bin/sleep 601";
      await using wrapper = await start(["/bin/sh", "-c", leavesSleep], {});
      await wrapper.prints(changing.value());
      await wrapper.prints(await changing.change());
      const sleepers = () => treeOf(wrapper.pid).filter((pid) => commandOf(pid) === sleeps);
      const soon = { deadlineMs: 12_000, what: "the new program's process alone" };
      await waitFor(() => sleepers().length === 1, soon);
    });
  });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}
