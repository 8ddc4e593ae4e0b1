import { describe, expect, test } from "bun:test";
import type { WrapperEnvironment } from "./one-secret.ts";
import { runWrapper, wrapperPath } from "./wrapper-process.ts";

const TIMEOUT_MS = 120_000;
const reads = ["/usr/bin/printenv", "DB_PASSWORD"];

/** A place in which no program can be stopped by its tracer. */
export interface Place {
  readonly declare?: typeof describe;
  readonly environment: WrapperEnvironment;
  readonly password: string;
  /** The words in front of the wrapper. */
  readonly before: readonly string[];
  /** Why `inject` is impossible there. */
  readonly reason: string;
  /** The word of an emulator that has crashed itself; the start is repeated then. */
  readonly crash?: string;
}

/** Crashes are rare, so as many in a row are the wrapper's. */
const MOST_STARTS = 3;

/** Each delivery method works there or is refused, and `auto` says why it does not take `inject`. */
export function describePlace(name: string, place: Place): void {
  const { declare = describe, environment, password, before, reason, crash } = place;
  const run = async (delivery: string) => {
    for (let starts = 1; ; starts += 1) {
      const ended = await runWrapper({
        program: reads,
        instead: [...before, wrapperPath, "--", ...reads],
        environment: { ...environment, SVC_DELIVERY: delivery },
      });
      const hasCrashed = crash !== undefined && ended.stderr.includes(crash);
      if (!hasCrashed || starts === MOST_STARTS) return ended;
    }
  };

  declare(name, () => {
    for (const delivery of ["auto", "preload", "env"]) {
      test(
        `by ${delivery}`,
        async () => {
          const { exitCode, stdout, stderr } = await run(delivery);
          expect(exitCode, stderr).toBe(0);
          expect(stdout.toString()).toBe(`${password}\n`);
          if (delivery === "auto") expect(stderr).toContain(`no inject: ${reason}`);
          // It does not look for leftovers among strangers.
          expect(stderr).not.toContain("has left processes running");
        },
        TIMEOUT_MS,
      );
    }

    test(
      "inject is refused, and the reason is given",
      async () => {
        const { exitCode, stderr } = await run("inject");
        expect(exitCode).toBe(125);
        expect(stderr).toContain("DELIVERY_IMPOSSIBLE");
        expect(stderr).toContain(reason);
      },
      TIMEOUT_MS,
    );
  });
}
