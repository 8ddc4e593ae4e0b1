import { Socket } from "../machine/descriptions.ts";
import { errno } from "../machine/errors.ts";
import { numbersIn, unblockable } from "./calls/signal-calls.ts";
import type { Host } from "./host.ts";
import type { ScriptState } from "./script-state.ts";

/** How a fork begins its life; svc-engine.d.ts. */
export interface ForkOptions {
  readonly keep: readonly number[];
  readonly signalMask: bigint;
  readonly child: () => void;
}

/** The parts of a courier's first wait: the leave to go on, and its job. */
const PARCELS_OF_A_START = 2;

/**
 * Forks once no job is pending. The child has its own modules, so that it and its parent share
 * no state. It gets the processor when the data is there that a courier reads first: a courier that
 * waits for it does nothing else.
 */
export function forkScript(host: Host, parent: ScriptState, options: ForkOptions): Promise<number> {
  const { machine } = host;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  parent.loop.settle(() => {
    const refusal = machine.atCall?.("fork");
    if (refusal !== undefined) {
      reject(errno[refusal]);
      return;
    }
    const blocked = signalsOfMask(options.signalMask).filter((number) => !unblockable.has(number));
    const { ignored, limits } = parent.process;
    const kept = new Set(options.keep);
    const child = machine.fork(
      parent.process,
      { group: 0, blocked, ignored, limits },
      (fd) => fd <= 2 || kept.has(fd),
    );
    const state = host.begin(child, blocked);
    child.program = state.loop;
    child.environment = parent.process.environment;
    const sockets = options.keep
      .map((fd) => child.description(fd))
      .filter((one) => one instanceof Socket);
    state.loop.settleWhen(() => hasStarted(sockets), options.child);
    resolve(child.pid);
  });
  return promise;
}

function hasStarted(sockets: readonly Socket[]): boolean {
  const [go] = sockets;
  return go === undefined || go.isPeerGone || go.waiting >= PARCELS_OF_A_START;
}

/** The signals of a mask, in ascending order. */
function signalsOfMask(mask: bigint): readonly number[] {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, mask, true);
  return numbersIn(bytes);
}
