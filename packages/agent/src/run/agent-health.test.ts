import { describe, expect, test } from "bun:test";
import { blindKernel } from "../testdata/kernel-stand-in.ts";
import { readinessOf } from "./agent-health.ts";

// The function reads the tier alone.
const seeing = { capabilities: { tier: "lsm" } } as unknown as Parameters<typeof readinessOf>[0];
const { signal } = new AbortController();
const ending = AbortSignal.abort();

describe("an agent is", () => {
  const rows: readonly [string, ...Parameters<typeof readinessOf>][] = [
    ["ready", seeing, { signal, isCalled: true, lost: [] }],
    ["unreachable", seeing, { signal, isCalled: true, lost: ["/run/svc/agent.sock"] }],
    ["blind", seeing, { signal, isCalled: false, lost: ["/run/svc/agent.sock"] }],
    ["blind", blindKernel, { signal, isCalled: true, lost: [] }],
    ["stopping", seeing, { signal: ending, isCalled: true, lost: ["/run/svc/agent.sock"] }],
  ];
  for (const [status, monitor, life] of rows) {
    test(`${status}: programs called ${life.isCalled}, lost ${life.lost.length}`, () => {
      expect(readinessOf(monitor, life)).toMatchObject({ status });
    });
  }
});
