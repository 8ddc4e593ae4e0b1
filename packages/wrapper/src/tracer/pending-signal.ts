import { systemCallStop, type TraceeStop } from "@svc/kernel";

/** The signal that a stop holds back; 0 for none. */
export function pendingSignal({ event, signal }: TraceeStop): number {
  return event === 0 && (signal & systemCallStop) === 0 ? signal : 0;
}
