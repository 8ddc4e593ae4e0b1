import { CallError } from "./call-error.ts";

/** A call of the tracer. */
export interface TracerCall {
  readonly index: number;
  /** The name of the libc function, and for ptrace(2) and ioctl(2) of the request. */
  readonly name: string;
  /** The thread that it is about, if it is about one. */
  readonly tid: number | undefined;
}

/** Decides what happens before a call; it may throw a CallError in place of the call. */
export type Plan = (call: TracerCall) => void;

/** A plan that refuses one call. */
export function refuses(index: number, errno: number): Plan {
  return (call) => {
    if (call.index === index) throw new CallError(errno);
  };
}

/** A plan that refuses every call of a name. */
export function refusesAll(name: string, errno: number): Plan {
  return (call) => {
    if (call.name === name) throw new CallError(errno);
  };
}
