import { startTimer, stopTimer } from "svc:engine";

// HTML Standard, section 8.6. A timer is a number, and keeps the process alive.

type Callback = (...values: readonly unknown[]) => void;

export function setTimeout(callback: Callback, ms = 0, ...values: readonly unknown[]): number {
  return startTimer(() => callback(...values), ms, false);
}

export function setInterval(callback: Callback, ms = 0, ...values: readonly unknown[]): number {
  return startTimer(() => callback(...values), ms, true);
}

export function clearTimeout(id: number | undefined): void {
  if (id !== undefined) stopTimer(id);
}

export const clearInterval: typeof clearTimeout = clearTimeout;
