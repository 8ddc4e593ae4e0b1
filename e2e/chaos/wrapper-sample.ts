import { readdirSync, readFileSync } from "node:fs";
import { statField } from "@svc/kernel";
import type { FleetMember } from "./fleet-member.ts";

/** The counts of a wrapper so far, and the memory and descriptors of its supervisor. */
export interface WrapperSample {
  readonly renewed: number;
  /** Renewals that were refused or failed, and checks that failed. */
  readonly missed: number;
  readonly checks: number;
  readonly logins: number;
  /** Memory that exists for this process alone; proc_pid_smaps(5). */
  readonly anonymousKiB: number;
  readonly descriptors: number;
  /**
   * Processor time of the supervisor and of every courier that has ended, in milliseconds;
   * proc_pid_stat(5).
   */
  readonly processorMs: number;
}

const TICK_MS = 10;

/** Looks at a wrapper from outside. */
export async function sampleWrapper(member: FleetMember): Promise<WrapperSample> {
  const { pid, health, end, log } = member;
  if (end() !== undefined) throw new TypeError(`ended with ${end()}: ${log().slice(-2000)}`);
  const answer = await fetch(`${health()}/metrics`, { keepalive: false });
  const metrics = await answer.text();
  const count = (name: string, label = "") => sumOf(metrics, `svc_wrapper_${name}_total`, label);
  return {
    renewed: count("renewals", 'result="renewed"'),
    missed:
      count("renewals", 'result="refused"') +
      count("renewals", 'result="failed"') +
      count("checks", 'result="failed"'),
    checks: count("checks"),
    logins: count("logins"),
    anonymousKiB: anonymousKiB(pid),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processorMs: processorMs(pid),
  };
}

function sumOf(metrics: string, name: string, label: string): number {
  return metrics
    .split("\n")
    .filter((line) => new RegExp(`^${name}[ {]`).test(line) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

function anonymousKiB(pid: number): number {
  const smaps = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Anonymous:\s*(\d+) kB$/m.exec(smaps)?.[1]);
}

/** utime, stime, cutime and cstime. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return [14, 15, 16, 17].reduce((sum, field) => sum + Number(statField(stat, field)) * TICK_MS, 0);
}
