import { expect, test } from "bun:test";
import { sendSignal } from "@svc/kernel";
import { waitFor } from "@svc/testing";
import {
  changingStore,
  healthAddress,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const [SIGKILL, SIGTERM] = [9, 15] as const;
const LOOPS = 24;
const TIMEOUT_MS = 240_000;
/** Far more than one turn of the loop; a loop that starves takes thousands, and goes on. */
const MOST_EXECS_BEFORE_AN_ANSWER = 2_000;

setLifecycleStage();

/** Executes a program again and again in many processes at once, and prints a dot for each. */
const loops = [
  ...["/bin/sh", "-c"],
  `trap '' TERM
   i=0
   while [ $i -lt ${LOOPS} ]; do
     (while :; do /bin/true; printf .; done) &
     i=$((i + 1))
   done
   wait`,
];

/** The supervisor prepares each execve: their number is a clock that a busy machine slows, too. */
const execsOf = (wrapper: RunningWrapper) => wrapper.stdout().length;

for (const delivery of ["inject", "env"]) {
  test(
    `${LOOPS} exec loops by ${delivery} keep neither probes nor SIGTERM waiting`,
    async () => {
      await using changing = changingStore();
      await using wrapper = await startWrapper({
        program: loops,
        environment: {
          ...changing.environment,
          ...{ SVC_DELIVERY: delivery, SVC_ROTATION: "none", SVC_STOP_GRACE: "1s" },
        },
      });
      await waitFor(() => execsOf(wrapper) > 500, { deadlineMs: 60_000, what: "500 execs" });
      const address = await healthAddress(wrapper);
      for (const path of ["/healthz", "/readyz", "/metrics", "/healthz", "/healthz"]) {
        const before = execsOf(wrapper);
        const answer = await fetch(`${address}${path}`, { signal: AbortSignal.timeout(60_000) });
        await answer.text();
        expect(execsOf(wrapper) - before, path).toBeLessThan(MOST_EXECS_BEFORE_AN_ANSWER);
      }
      sendSignal(wrapper.pid, SIGTERM);
      const { exitCode, stderr } = await wrapper.ended;
      expect(exitCode, stderr).toBe(128 + SIGKILL);
    },
    TIMEOUT_MS,
  );
}
