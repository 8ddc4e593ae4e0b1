import type { KubernetesApi } from "@svc/kubernetes";
import { type Log, pause } from "@svc/logging";
import { type Candidate, candidate } from "./candidate.ts";
import { leaseClient } from "./lease-client.ts";

/** How long things take in an election, in milliseconds. */
export interface ElectionTimes {
  /** For how long the lease is the holder's after a renewal; by default 15 s. */
  readonly leaseMs: number;
  /**
   * A leader without a renewal for this long stops leading; shorter than the above; 10 s by
   * default.
   */
  readonly renewDeadlineMs: number;
  /** From one attempt to the next; by default 2 s. */
  readonly retryMs: number;
  /**
   * How long the leader's work may take to end, before the lease is left to run out; 5 s by
   * default.
   */
  readonly endMs: number;
}

/** For client-go's own components these are the same. */
export const electionTimes: ElectionTimes = {
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2000,
  endMs: 5000,
};

/** How one takes part in an election. */
export interface LeaderOptions {
  readonly api: Pick<KubernetesApi, "ask">;
  readonly namespace: string;
  /** The name of the Lease. The leader makes it if there is none and the account may. */
  readonly name: string;
  /** The identity of this process and no other, not even a later one with the same name. */
  readonly identity: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  /**
   * The leader's work, until its signal is aborted: when it stops or leadership is lost, and in any
   * case before another replica may lead. If it ends by itself, leadership is given up, and
   * sought again.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  /** Told when this process begins and ceases to lead. */
  readonly onChange?: (isLeader: boolean) => void;
  readonly times?: Partial<ElectionTimes>;
}

/**
 * Takes part in an election until the signal is aborted, and gives leadership back then, so that
 * another replica leads at once. An API server that is away only means that there is no leader.
 * Never rejects.
 *
 * @throws RangeError if the times do not go together
 */
export async function runLeader(options: LeaderOptions): Promise<void> {
  const times = { ...electionTimes, ...options.times };
  if (times.retryMs >= times.renewDeadlineMs || times.renewDeadlineMs >= times.leaseMs) {
    throw new RangeError("times of an election: must be retry < renew deadline < lease");
  }
  const running = { ...options, times };
  const me = candidate({ ...running, client: leaseClient(options.api, options) });
  while (!options.signal.aborted) {
    const askedMs = performance.now();
    const attempt = await me.attempt(times.renewDeadlineMs);
    if (attempt === "ours") await serveTerm(running, me, askedMs);
    // Jitter, for candidates that were started together (client-go: JitterFactor).
    await pause(times.retryMs * (1 + 1.2 * Math.random()), options.signal);
  }
}

interface Running extends LeaderOptions {
  readonly times: ElectionTimes;
}

/** From winning to the end of the leader's work. */
async function serveTerm(running: Running, me: Candidate, wonMs: number): Promise<void> {
  const { log, identity, name, times } = running;
  const term = new AbortController();
  const ended = new AbortController();
  log("info", "this process leads", { lease: name, identity });
  running.onChange?.(true);
  const work = runWork(running, term.signal).finally(() => ended.abort());
  const why = await holdLease(running, me, { renewedMs: wonMs, ended: ended.signal });
  term.abort();
  const level = why === "lost" ? "warn" : "info";
  log(level, `this process does not lead any more: ${reasons[why]}`, { lease: name, identity });
  running.onChange?.(false);
  await pause(times.endMs, ended.signal);
  // Unfinished work may still run: then the lease has to run out before another replica begins.
  if (ended.signal.aborted && why !== "lost") await me.giveBack(times.endMs);
  if (!running.signal.aborted) await work;
}

const reasons = {
  stopped: "it is told to stop",
  lost: "the lease could not be renewed in time, or another replica has it",
  ended: "its work as the leader has ended",
} as const;

async function runWork({ lead, log, name }: Running, signal: AbortSignal): Promise<void> {
  try {
    await lead(signal);
  } catch (error) {
    log("error", `lead: ${error instanceof Error ? error.message : "it failed"}`, { lease: name });
  }
}

interface Term {
  /** When the last request was sent that renewed it: other replicas see it later. */
  readonly renewedMs: number;
  readonly ended: AbortSignal;
}

async function holdLease(
  { signal, times }: Running,
  me: Candidate,
  term: Term,
): Promise<keyof typeof reasons> {
  const { ended } = term;
  let { renewedMs } = term;
  for (;;) {
    const leftMs = () => renewedMs + times.renewDeadlineMs - performance.now();
    await pause(Math.min(times.retryMs, leftMs()), signal, ended);
    if (signal.aborted) return "stopped";
    if (ended.aborted) return "ended";
    if (leftMs() <= 0) return "lost";
    const askedMs = performance.now();
    const late = new AbortController();
    const attempt = await Promise.race([
      me.attempt(leftMs()),
      // A request that ignores its own time limit must not keep this process leading.
      pause(leftMs(), late.signal, signal).then(() => "failed" as const),
    ]);
    late.abort();
    if (attempt === "others") return "lost";
    if (attempt === "ours") renewedMs = askedMs;
  }
}
