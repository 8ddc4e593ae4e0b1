import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import { clockUs } from "./plan-time.ts";
import type { Freeze, Scenario } from "./scenario.ts";

const MS = 1000;

/** Freezes processes for a while; cgroup.freeze of cgroups(7). @param program the one that runs */
export function planFreeze(
  machine: Machine,
  { whom, fromMs, toMs }: Freeze,
  program: () => Process | undefined,
): void {
  let frozen: readonly Process[] = [];
  machine.after(fromMs * MS, () => {
    const all = [...machine.processes.values()];
    const top = program();
    frozen = whom === "family" ? all : all.filter((one) => top !== undefined && isBelow(one, top));
    machine.trace.note(`freeze: ${frozen.map(({ pid }) => pid).join(" ")}`);
    for (const process of frozen) machine.freeze(process);
  });
  machine.after(toMs * MS, () => {
    machine.trace.note("thaw");
    for (const process of frozen) machine.thaw(process);
  });
}

/** The time from then on in which the family was frozen. */
export function frozenUs({ nowUs }: Machine, { freeze }: Scenario, atUs: number): number {
  if (freeze?.whom !== "family") return 0;
  const [fromUs, toUs] = [clockUs(freeze.fromMs), clockUs(freeze.toMs)];
  return Math.max(0, Math.min(nowUs, toUs) - Math.max(atUs, fromUs));
}

function isBelow(process: Process, top: Process): boolean {
  for (let one: Process | undefined = process; one !== undefined; one = one.parent) {
    if (one === top) return true;
  }
  return false;
}
