/** The options and results of engine/host/src/bindings/exec_preparer.rs. */
export type NewExecPreparer = (options: NativeOptions) => NativeExecPreparer;

interface NativeOptions {
  readonly listener: number;
  readonly childSignals: number;
  readonly region: number;
  readonly main: number;
  readonly changesOfUser: readonly number[];
  readonly layout: {
    readonly lengthBytes: number;
    readonly instructionPointer: number;
    readonly stackPointer: number;
    readonly beginning: number;
  };
  /** Pairs of 64-bit words: a register's offset in bytes, and its value. */
  readonly parameters: Uint8Array;
  readonly code: Uint8Array;
  readonly room: number;
}

interface NativeExecPreparer {
  readonly noteOrdinary: (pid: number) => void;
  readonly run: () => NativeLeftOver | undefined;
}

interface NativeLeftOver {
  readonly expected: readonly number[];
  readonly asking: readonly number[];
  readonly hasChange: boolean;
  readonly isClosed: boolean;
  /** `si_status` of waitid(2). */
  readonly stop?: { readonly pid: number; readonly status: number };
  /** struct seccomp_notif. */
  readonly notification?: Uint8Array;
}
