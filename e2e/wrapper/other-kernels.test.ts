import { describe, expect, test } from "bun:test";
import { needsRoot } from "@svc/testing";
import { setStage } from "../harness/wrapper/stage.ts";
import { type Ended, runWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

// Places that look like Linux and in which no program can be stopped by its tracer. `auto` takes
// another delivery method there and says why (decision 0113).

const TIMEOUT_MS = 120_000;
const { environment, password } = setStage();
const reads = ["/usr/bin/printenv", "DB_PASSWORD"];

function expectDelivered({ exitCode, stdout, stderr }: Ended): void {
  expect(exitCode, stderr).toBe(0);
  expect(stdout.toString()).toBe(`${password}\n`);
}

interface Place {
  readonly before: readonly string[];
  /** Why `inject` is impossible there. */
  readonly reason: string;
}

function describePlace(declare: typeof describe, name: string, { before, reason }: Place): void {
  const run = (delivery: string) =>
    runWrapper({
      program: reads,
      instead: [...before, wrapperPath, "--", ...reads],
      environment: { ...environment, SVC_DELIVERY: delivery },
    });

  declare(name, () => {
    for (const delivery of ["auto", "preload", "env"]) {
      test(
        `by ${delivery}`,
        async () => {
          const ended = await run(delivery);
          expectDelivered(ended);
          if (delivery === "auto") expect(ended.stderr).toContain(`no inject: ${reason}`);
          // It does not look for leftovers among strangers.
          expect(ended.stderr).not.toContain("has left processes running");
        },
        TIMEOUT_MS,
      );
    }

    test(
      "inject is refused, and the reason is given",
      async () => {
        const ended = await run("inject");
        expect(ended.exitCode).toBe(125);
        expect(ended.stderr).toContain("DELIVERY_IMPOSSIBLE");
        expect(ended.stderr).toContain(reason);
      },
      TIMEOUT_MS,
    );
  });
}

describePlace(needsRoot(describe), "in a PID namespace with the /proc of an outer one", {
  before: ["unshare", "--pid", "--fork", "--kill-child"],
  reason: "/proc is that of another PID namespace: it shows this process as ",
});

describePlace(describe, "under qemu-user, which has no ptrace", {
  before: [process.arch === "arm64" ? "qemu-aarch64-static" : "qemu-x86_64-static"],
  reason: "ptrace: ENOSYS",
});
