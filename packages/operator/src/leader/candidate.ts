import type { Log } from "@svc/logging";
import { unrepeatedLog } from "../unrepeated-log.ts";
import { electionStep, type Observation, observe } from "./election-step.ts";
import { microTime, type StoredLease } from "./lease.ts";
import type { LeaseClient } from "./lease-client.ts";

/** One who wants a lease. */
export interface Candidate {
  /** Reads the lease, and takes or renews it if that may be. Never rejects. */
  readonly attempt: (timeoutMs: number) => Promise<"ours" | "others" | "failed">;
  /** Releases the lease for the next candidate, if it is ours. Never rejects. */
  readonly giveBack: (timeoutMs: number) => Promise<void>;
}

/** A candidate and its lease. */
export interface CandidateOptions {
  readonly client: LeaseClient;
  readonly identity: string;
  readonly name: string;
  readonly times: { readonly leaseMs: number };
  readonly log: Log;
}

/** Makes a candidate, which has seen nothing yet. */
export function candidate(options: CandidateOptions): Candidate {
  const { client, identity, name, times, log } = options;
  const trouble = unrepeatedLog(log);
  let observation: Observation | undefined;
  /** The state that we wrote, as long as no other client is known to have written. */
  let own: StoredLease | undefined;

  const decide = async (timeoutMs: number) => {
    const lease = own ?? (await client.read(timeoutMs));
    own = undefined;
    const nowMs = performance.now();
    observation = lease && observe(observation, lease.record, nowMs);
    const nowText = microTime(new Date());
    const view = { lease, observation, identity, nowMs, nowText, durationMs: times.leaseMs };
    const step = electionStep(view);
    if (step.kind === "leave") return "others";
    own = await client.write(step.record, lease, timeoutMs);
    // Another client was faster, or has put a label on it: the next attempt sees it.
    return own === undefined ? "failed" : "ours";
  };

  const attempt: Candidate["attempt"] = async (timeoutMs) => {
    try {
      const outcome = await decide(timeoutMs);
      trouble.over();
      return outcome;
    } catch (error) {
      trouble.say("warn", error instanceof Error ? error.message : "take the lease: it failed", {
        lease: name,
      });
      return "failed";
    }
  };

  const giveBack: Candidate["giveBack"] = async (timeoutMs) => {
    own = undefined;
    try {
      // A renewal that was under way may come between reading and writing, once.
      for (let tries = 0; tries < 3; tries += 1) {
        const lease = await client.read(timeoutMs);
        if (lease?.record.holder !== identity) return;
        // One second: that is how long clients that see an empty holder wait at most.
        const record = { ...lease.record, holder: undefined, durationMs: 1000 };
        if ((await client.write(record, lease, timeoutMs)) !== undefined) return;
      }
    } catch (error) {
      const found = error instanceof Error ? error.message : "it failed";
      log("warn", `give the lease back: ${found}`, { lease: name });
    }
  };
  return { attempt, giveBack };
}
