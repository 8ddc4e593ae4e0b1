import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { sendSignal, systemCallTable } from "@svc/kernel";
import { waitFor } from "@svc/testing";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { healthAddress } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

// A system call that never returns has the script stand still. The host keeps its promises.

const { environment, at } = setStage();
const [SIGKILL, SIGTERM] = [9, 15] as const;
const EPERM = 1;
const TIMEOUT_MS = 120_000;
/** By the number of the call: listen(2), waitid(2), timer_create(2). */
const listen = process.arch === "arm64" ? 201 : 50;
const waitid = process.arch === "arm64" ? 95 : 247;
const timerCreate = process.arch === "arm64" ? 107 : 222;

/** Starts a wrapper that stands still as soon as its script, or its host, makes a call. */
function standing(call: number, program: readonly string[], more: Record<string, string> = {}) {
  return startWrapper({
    instead: [fixture("stands-still-at"), String(call), wrapperPath, "--", ...program],
    environment: {
      ...environment,
      // A process has one listener.
      ...{ SVC_DELIVERY: "env", SVC_START_DEADLINE: "1s", SVC_STOP_GRACE: "1s", ...more },
    },
  });
}

for (const [name, call] of Object.entries({ listen, waitid })) {
  test(
    `a start that stands still at ${name}(2) ends with 125, and says why`,
    async () => {
      const message = at(`message-of-${name}`);
      writeFileSync(message, "");
      await using wrapper = await standing(call, ["/bin/sleep", "600"], {
        SVC_TERMINATION_LOG: message,
      });
      const { exitCode, stderr } = await wrapper.ended;
      expect(exitCode, stderr).toBe(125);
      const cause = "the start deadline is over, and the wrapper stands still";
      expect(stderr).toContain(`svc-wrapper: ${cause}\n`);
      expect(readFileSync(message, "utf8")).toBe(`INTERNAL: ${cause}\n`);
    },
    TIMEOUT_MS,
  );
}

test(
  "it ends also if its log is a pipe that is full",
  async () => {
    const pipe = at("full");
    const fill = `mkfifo ${pipe}; exec 3<>${pipe}
      dd if=/dev/zero of=${pipe} bs=4096 oflag=nonblock 2>/dev/null
      exec "$@" 2>&3`;
    const words = [
      fixture("stands-still-at"),
      String(listen),
      wrapperPath,
      "--",
      "/bin/sleep",
      "9",
    ];
    await using wrapper = await startWrapper({
      instead: ["/bin/sh", "-c", fill, "sh", ...words],
      environment: { ...environment, SVC_DELIVERY: "env", SVC_START_DEADLINE: "1s" },
    });
    expect((await wrapper.ended).exitCode).toBe(125);
  },
  TIMEOUT_MS,
);

test(
  "SIGTERM ends a wrapper that stands still, and each process of its program",
  async () => {
    // It stands still when it hands a signal with a value on.
    const { rt_sigqueueinfo } = systemCallTable();
    const program = ["/bin/sh", "-c", "setsid sleep 600 & echo started; exec sleep 600"];
    await using wrapper = await standing(rt_sigqueueinfo, program);
    await wrapper.prints("started");
    // The supervisor sees the program's start a moment later.
    const address = await healthAddress(wrapper);
    await waitFor(async () => (await fetch(`${address}/readyz`)).status === 200, {
      ...{ deadlineMs: 30_000, what: "readiness" },
    });
    sendSignal(wrapper.pid, SIGTERM, 7n);
    // The pipes end only with the last holder: the process of another session, too.
    const { exitCode, stderr } = await wrapper.ended;
    expect(exitCode, stderr).toBe(128 + SIGKILL);
    expect(stderr).toContain("it was asked to end, and stands still");
  },
  TIMEOUT_MS,
);

test("a wrapper without a timer says that it will not be ended, and does its work", async () => {
  const startsAs = ["-n", `${timerCreate}=${EPERM}`];
  await using wrapper = await startWrapper({ program: ["/bin/true"], environment, startsAs });
  const { exitCode, stderr } = await wrapper.ended;
  expect(exitCode, stderr).toBe(0);
  expect(stderr.match(/the kernel refuses timer_create/g)).toHaveLength(1);
});
