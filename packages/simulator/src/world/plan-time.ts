import { FIRST_US } from "../machine/kernel.ts";

/** The machine's clock at a time of a scenario's plan, which counts from the start. */
export function clockUs(planMs: number): number {
  return FIRST_US + planMs * 1000;
}

/** The time of the plan at a time of the machine's clock. */
export function planMs(nowUs: number): number {
  return (nowUs - FIRST_US) / 1000;
}
