import { bootNanoseconds } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { AgentError } from "../agent-error.ts";
import type { PolicyFacts } from "../health/agent-facts.ts";
import type { Monitor } from "../monitor/load-monitor.ts";
import { type ClusterPolicies, followCluster } from "../policies/cluster-policies.ts";
import { PolicyFollower } from "../policies/follow-policies.ts";
import type { FoundPods } from "../policies/found-pods.ts";
import { findObjectionToFolders } from "../policies/kubelet-folders.ts";
import type { PolicyNames } from "../policies/policy-names.ts";
import { ExecutableReader, type FoundExecutable } from "../policies/read-executable.ts";
import { readPolicyFile } from "../policies/read-policy-file.ts";
import type { Machine } from "../runtimes/find-runtimes.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { Reporter } from "./reporter.ts";

/** The parts that keepPolicies works with. */
export interface PoliciesParts {
  readonly settings: Pick<AgentSettings, "policyFile" | "policyResources" | "apiHost" | "apiPort">;
  readonly node: string;
  /** Undefined if this process cannot see it. */
  readonly machine: Machine | undefined;
  readonly monitor: Pick<Monitor, "allowPolicies">;
  readonly names: PolicyNames;
  readonly reporter: Pick<Reporter, "reportOwn">;
  readonly log: Log;
}

/** Policies that are kept in force. */
export interface KeptPolicies {
  readonly facts: () => PolicyFacts;
  readonly stop: () => Promise<void>;
}

/**
 * How long a file that was written, an upgraded executable or an end that has come may go
 * unnoticed.
 */
const LOOK_MS = 2000;

/**
 * Keeps the policies of POLICY_FILE and of the cluster in force. Without both settings there is no
 * policy, and nothing is looked at.
 *
 * @throws AgentError `POLICY_RESOURCES_UNUSABLE`
 */
export async function keepPolicies(parts: PoliciesParts): Promise<KeptPolicies | undefined> {
  const { settings, machine, monitor, names, reporter, log } = parts;
  const { policyFile } = settings;
  const around: { follower?: PolicyFollower } = {};
  const cluster = await openCluster(parts, () => around.follower?.look());
  if (policyFile === undefined && cluster === undefined) return undefined;
  const executables = machine && new ExecutableReader(machine);
  const follower = new PolicyFollower({
    path: policyFile,
    readText: () => (policyFile === undefined ? { kind: "absent" } : readPolicyFile(policyFile)),
    readObjects: () => cluster?.readObjects() ?? { kind: "unknown" },
    readExecutables: (paths) => readExecutables(executables, paths),
    readPods: (namespaces) => cluster?.readPods(namespaces) ?? unaskedPods(namespaces),
    objectionToFolders: findObjectionToFolders,
    seesMachine: machine !== undefined,
    numberOf: names.numberOf,
    now: () => ({ nowMs: Date.now(), bootNs: bootNanoseconds() }),
    write: monitor.allowPolicies,
    tell: (kind, facts) => reporter.reportOwn(kind, facts),
    log,
  });
  around.follower = follower;
  follower.look();
  const timer = setInterval(() => follower.look(), LOOK_MS).unref();
  return {
    facts: () => ({ ...follower.report(), ...(cluster && { resources: cluster.report() }) }),
    stop: async () => {
      clearInterval(timer);
      delete around.follower;
      await cluster?.stop();
      executables?.[Symbol.dispose]();
    },
  };
}

/** Loaded if it is wanted: the client library is 10 MB. */
async function openCluster(
  { settings, node, log }: PoliciesParts,
  onChange: () => void,
): Promise<ClusterPolicies | undefined> {
  const { policyResources, apiHost: host, apiPort: port } = settings;
  if (policyResources !== true || host === undefined) return undefined;
  const { connectApi, watchObjects } = await import("@svc/kubernetes");
  try {
    const api = await connectApi({ kind: "pod", host, port });
    return followCluster({ api, watchObjects, node, onChange, log });
  } catch (error) {
    const found = error instanceof Error ? error.message : typeof error;
    throw new AgentError("POLICY_RESOURCES_UNUSABLE", `follow SvcPolicies: ${found}`, error);
  }
}

function unaskedPods(namespaces: ReadonlySet<string>): FoundPods {
  const reason = "POLICY_RESOURCES is not set, so the agent asks for no pods";
  return new Map([...namespaces].map((namespace) => [namespace, { kind: "unknown", reason }]));
}

function readExecutables(
  reader: ExecutableReader | undefined,
  paths: ReadonlySet<string>,
): ReadonlyMap<string, FoundExecutable> {
  reader?.keepOnly(paths);
  const unseen = { kind: "unusable", reason: "the agent cannot see the machine's files" } as const;
  return new Map([...paths].map((path) => [path, reader?.read(path) ?? unseen]));
}
