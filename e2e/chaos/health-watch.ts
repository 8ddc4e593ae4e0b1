import { describeStuck } from "./describe-stuck.ts";
import type { FleetMember } from "./fleet-member.ts";

/** Asks every wrapper of a fleet whether it lives, until it is stopped. */
export interface HealthWatch extends AsyncDisposable {
  /** The wrong answers; empty if all were right. */
  readonly complaints: () => readonly string[];
  readonly answers: () => number;
  readonly watch: (member: FleetMember) => void;
}

const INTERVAL_MS = 1500;
/** Far longer than a busy machine needs: a wrapper that has not answered by then never will. */
const PATIENCE_MS = 15_000;

/**
 * Starts the watch; the first answer of a wrapper is waited for until it says at which address it
 * listens.
 */
export function healthWatch(): HealthWatch {
  const complaints: string[] = [];
  const stop = new AbortController();
  const watches: Promise<void>[] = [];
  let answers = 0;
  const ask = async (member: FleetMember) => {
    while (!stop.signal.aborted && member.end() === undefined) {
      const address = member.health();
      const complaint = address === undefined ? undefined : await complaintOf(address, member);
      if (address !== undefined) answers += 1;
      if (complaint !== undefined) complaints.push(`${member.plan.name}: ${complaint}`);
      await Bun.sleep(INTERVAL_MS);
    }
  };
  return {
    complaints: () => complaints,
    answers: () => answers,
    watch: (member) => void watches.push(ask(member)),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all(watches);
    },
  };
}

async function complaintOf(address: string, member: FleetMember): Promise<string | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const { status } = await fetch(`${address}/healthz`, { signal, keepalive: false });
    return status === 200 ? undefined : `/healthz answered ${status}`;
  } catch (error) {
    if (member.end() !== undefined) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return `/healthz: ${reason}\n${describeStuck(member.pid)}`;
  }
}
