import { type BpfMap, monotonicNanoseconds } from "@svc/kernel";

/** `struct svc_agent_state` of bpf/event.h. */
const STATE_BYTES = 24;
const at = { heartbeat: 0, openUntil: 8 } as const;
const first = new Uint8Array(4);

/** How often the heart beats: a tenth of the shortest deadline. */
export const HEARTBEAT_MS = 1000;

/** The kernel side's record of the running agent. */
export interface AgentState {
  /** Says that an agent lives: the guards hold for another while. */
  readonly beat: () => void;
  /** Opens the guards, for some time. */
  readonly open: (milliseconds: number) => void;
  /** Closes them again. */
  readonly close: () => void;
  /** How long they are still open, in milliseconds; 0 if they hold. */
  readonly openFor: () => number;
  /** They were opened, and have closed by themselves or are open still. */
  readonly wereOpened: () => boolean;
}

/** @param map the object's map `agent`. */
export function agentState(
  map: Pick<BpfMap, "lookup" | "update">,
  now: () => bigint = monotonicNanoseconds,
): AgentState {
  const read = (): DataView => {
    const bytes = map.lookup(first) ?? new Uint8Array(STATE_BYTES);
    return new DataView(bytes.buffer, bytes.byteOffset, STATE_BYTES);
  };
  // The rest of it is the kernel side's.
  const write = (field: number, value: bigint): void => {
    const state = read();
    state.setBigUint64(field, value, true);
    map.update(first, new Uint8Array(state.buffer, state.byteOffset, STATE_BYTES));
  };
  return {
    beat: () => write(at.heartbeat, now()),
    open: (milliseconds) => write(at.openUntil, now() + BigInt(milliseconds) * 1_000_000n),
    close: () => write(at.openUntil, 0n),
    wereOpened: () => read().getBigUint64(at.openUntil, true) !== 0n,
    openFor: () => {
      const left = read().getBigUint64(at.openUntil, true) - now();
      return left > 0n ? Number(left / 1_000_000n) : 0;
    },
  };
}
