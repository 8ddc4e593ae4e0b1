import { describe, expect, test } from "bun:test";
import { SIGSTOP, SIGTRAP, traceEvent } from "@svc/kernel";
import { isReportedAsInLinux } from "./start-tracing.ts";

describe("the first stop of a traced child", () => {
  const rows: readonly (readonly [name: string, signal: number, event: number, linux: boolean])[] =
    [
      ["for PTRACE_INTERRUPT", SIGTRAP, traceEvent.stop, true],
      ["for a signal that comes before", SIGSTOP, 0, true],
      ["for a real-time signal", 64, 0, true],
      ["for PTRACE_INTERRUPT as gVisor's waitid tells it", traceEvent.stop, 0, false],
      ["for a signal as gVisor's waitid tells it", 0, 0, false],
      ["for an execve, which is not asked for yet", SIGTRAP, traceEvent.exec, false],
    ];
  for (const [name, signal, event, isLinux] of rows) {
    test(`${name} is ${isLinux ? "" : "not "}that of Linux`, () => {
      expect(isReportedAsInLinux({ kind: "traced", pid: 1, signal, event })).toBe(isLinux);
    });
  }
});
