import { bootNanoseconds } from "@svc/kernel";
import type { Log } from "@svc/logging";
import type { Monitor } from "../monitor/load-monitor.ts";
import type { Surroundings } from "../monitor/surroundings.ts";
import { PolicyFollower } from "../policies/follow-policies.ts";
import type { PolicyNames } from "../policies/policy-names.ts";
import { ExecutableReader } from "../policies/read-executable.ts";
import { readPolicyFile } from "../policies/read-policy-file.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { visibleMachine } from "./container-runtimes.ts";
import type { Reporter } from "./reporter.ts";

/** The parts that keepPolicies works with. */
export interface PoliciesParts {
  readonly settings: Pick<AgentSettings, "policyFile">;
  readonly surroundings: Pick<Surroundings, "machinePids">;
  readonly monitor: Pick<Monitor, "allowPolicies">;
  readonly names: PolicyNames;
  readonly reporter: Pick<Reporter, "reportOwn">;
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How long a file that was written, an upgraded executable or an end that has come may go unnoticed. */
const LOOK_MS = 2000;

/** Keeps the policies of POLICY_FILE in force. Without that there is none, and nothing is looked at. */
export function keepPolicies(parts: PoliciesParts): void {
  const { settings, surroundings, monitor, names, reporter, log, signal } = parts;
  const { policyFile } = settings;
  if (policyFile === undefined) return;
  const executables = new ExecutableReader(visibleMachine(surroundings));
  const follower = new PolicyFollower({
    readText: () => readPolicyFile(policyFile),
    executableAt: (path) => executables.read(path),
    numberOf: names.numberOf,
    now: () => ({ nowMs: Date.now(), bootNs: bootNanoseconds() }),
    write: monitor.allowPolicies,
    tell: (kind, facts) => reporter.reportOwn(kind, facts),
    log,
  });
  follower.look();
  const timer = setInterval(() => follower.look(), LOOK_MS).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
