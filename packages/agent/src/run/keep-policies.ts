import { bootNanoseconds } from "@svc/kernel";
import type { Log } from "@svc/logging";
import type { Monitor } from "../monitor/load-monitor.ts";
import { PolicyFollower } from "../policies/follow-policies.ts";
import type { PolicyNames } from "../policies/policy-names.ts";
import { ExecutableReader, type FoundExecutable } from "../policies/read-executable.ts";
import { readPolicyFile } from "../policies/read-policy-file.ts";
import type { Machine } from "../runtimes/find-runtimes.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { Reporter } from "./reporter.ts";

/** The parts that keepPolicies works with. */
export interface PoliciesParts {
  readonly settings: Pick<AgentSettings, "policyFile">;
  /** Undefined where this process cannot see it. */
  readonly machine: Machine | undefined;
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
  const { settings, machine, monitor, names, reporter, log, signal } = parts;
  const { policyFile } = settings;
  if (policyFile === undefined) return;
  const executables = machine && new ExecutableReader(machine);
  const follower = new PolicyFollower({
    path: policyFile,
    readText: () => readPolicyFile(policyFile),
    readExecutables: (paths) => readExecutables(executables, paths),
    seesMachine: machine !== undefined,
    numberOf: names.numberOf,
    now: () => ({ nowMs: Date.now(), bootNs: bootNanoseconds() }),
    write: monitor.allowPolicies,
    tell: (kind, facts) => reporter.reportOwn(kind, facts),
    log,
  });
  follower.look();
  const timer = setInterval(() => follower.look(), LOOK_MS).unref();
  const stop = (): void => {
    clearInterval(timer);
    executables?.[Symbol.dispose]();
  };
  signal.addEventListener("abort", stop, { once: true });
}

function readExecutables(
  reader: ExecutableReader | undefined,
  paths: ReadonlySet<string>,
): ReadonlyMap<string, FoundExecutable> {
  reader?.keepOnly(paths);
  const unseen = { kind: "unusable", reason: "the agent cannot see the machine's files" } as const;
  return new Map([...paths].map((path) => [path, reader?.read(path) ?? unseen]));
}
