import { newExecPreparer } from "#native";
import { systemCallTable } from "../libc/system-call-numbers.ts";
import { type TraceeStop, traceeStop } from "../process/wait-child.ts";
import { type Notification, notificationIn } from "./seccomp.ts";

/** The changes to each executed program; register numbers are offsets in bytes. */
export interface ExecPreparation {
  /** The listener of the filter; seccomp_unotify(2). */
  readonly listener: number;
  /** Hears of SIGCHLD; `openChildSignals`. */
  readonly childSignals: number;
  /** The descriptor that a program gets which asks for one. */
  readonly region: number;
  /** The main process: its execve is left over. */
  readonly main: number;
  readonly layout: {
    readonly lengthBytes: number;
    readonly instructionPointer: number;
    readonly stackPointer: number;
    /** Tells the code the address of the program's beginning. */
    readonly beginning: number;
  };
  /** The values of other registers for the code. */
  readonly parameters: readonly (readonly [register: number, value: bigint])[];
  readonly code: Uint8Array;
  /** The place of the code, in bytes behind the start of the vDSO. */
  readonly room: number;
}

/** The events that a run leaves to its caller. */
export interface LeftOver {
  /** Threads that are seized, and make an execve. */
  readonly expected: readonly number[];
  /** Processes that run the code, and have not asked for the descriptor yet. */
  readonly asking: readonly number[];
  /** A seized thread that stands. */
  readonly stop: TraceeStop | undefined;
  /** A system call that waits for its answer. */
  readonly notification: Notification | undefined;
  /** True if SIGCHLD was taken that is about another child. */
  readonly hasChange: boolean;
  /** True if no process has the filter any more. */
  readonly isClosed: boolean;
}

/**
 * Takes announcements of execve, and prepares the executed programs, without a turn of the script.
 */
export interface ExecPreparer {
  /**
   * Notes that the file which a stopped process executes is to be prepared. Every other file is
   * left over.
   */
  noteOrdinary(pid: number): void;
  /**
   * Takes all that is there, and waits 2 ms at most for each next step. Undefined: nothing is left.
   */
  run(): LeftOver | undefined;
}

/** Undefined if this runtime cannot prepare. */
export function createExecPreparer(preparation: ExecPreparation): ExecPreparer | undefined {
  const { parameters, ...rest } = preparation;
  const words = parameters.flatMap(([register, value]) => [BigInt(register), value]);
  const native = newExecPreparer?.({
    ...rest,
    changesOfUser: systemCallTable().changesOfUser,
    parameters: new Uint8Array(BigUint64Array.from(words).buffer),
  });
  if (native === undefined) return undefined;
  return {
    noteOrdinary: (pid) => native.noteOrdinary(pid),
    run: () => {
      const left = native.run();
      if (left === undefined) return undefined;
      const { stop, notification } = left;
      return {
        ...left,
        stop: stop && traceeStop(stop.pid, stop.status),
        notification: notification && notificationIn(notification),
      };
    },
  };
}
