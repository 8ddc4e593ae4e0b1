import { describe, expect, test } from "bun:test";
import { agentState } from "./agent-state.ts";

const PID_AT = 16;

/** A map of one value, which the kernel side writes to as well. */
function mapOf(value = new Uint8Array(24)) {
  let stored = value;
  return {
    lookup: () => stored.slice(),
    update: (_: Uint8Array, next: Uint8Array) => {
      stored = next.slice();
    },
    at: (offset: number) => new DataView(stored.buffer).getBigUint64(offset, true),
  };
}

function agent(value?: Uint8Array<ArrayBuffer>) {
  const clock = { ns: 5_000_000_000n };
  const map = mapOf(value);
  return { clock, map, state: agentState(map, () => clock.ns) };
}

describe("the agent's state in the kernel", () => {
  test("its heart beats, and that opens nothing", () => {
    const { map, state } = agent();
    state.beat();
    expect([map.at(0), map.at(8)]).toEqual([5_000_000_000n, 0n]);
    expect(state.openFor()).toBe(0);
  });

  test("opens the guards for a time, and sends no heartbeat", () => {
    const { clock, map, state } = agent();
    state.open(1500);
    expect(map.at(0)).toBe(0n);
    expect(state.openFor()).toBe(1500);
    clock.ns += 1_000_000_000n;
    expect(state.openFor()).toBe(500);
    clock.ns += 1_000_000_000n;
    expect(state.openFor()).toBe(0);
  });

  test("they close again, and a heart that beats leaves them open", () => {
    const { state } = agent();
    state.open(1500);
    state.beat();
    expect(state.openFor()).toBe(1500);
    state.close();
    expect(state.openFor()).toBe(0);
  });

  test("the pid is the kernel side's", () => {
    const value = new Uint8Array(24);
    value[PID_AT] = 42;
    const { map, state } = agent(value);
    state.beat();
    state.open(1);
    expect(map.at(PID_AT)).toBe(42n);
  });
});
