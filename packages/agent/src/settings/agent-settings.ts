import {
  nearMisses,
  type ParsedVariables,
  type Problem,
  parseFlags,
  parseVariables,
  problem,
  type Values,
} from "@svc/settings";
import { type AgentTable, agentVariables } from "./agent-variables.ts";

/** The settings of `svc-agent`. Plain data without a secret. */
export interface AgentSettings extends Omit<Values<AgentTable>, "reactiveKill"> {
  /** As ENFORCE_MODE if it is not set. */
  readonly reactiveKill: boolean;
}

/** The command that the arguments and the environment select. */
export type AgentSettingsResult =
  | {
      readonly kind: "settings";
      readonly settings: AgentSettings;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Beginnings of names that are ours, or near it. */
const prefixes = [
  ...["EBPF_", "ENFORCE_", "LOG_", "REACTIVE_", "GLOBAL_", "GRPC_", "PLATFORM_", "POLICY_"],
  ...["NODE_", "SPOOL_", "HEALTH_", "BPF_", "CONTAINER_", "REGISTRATION_", "REGISTRY_", "KEEP_"],
  ...["CSI_", "KUBELET_"],
];

/**
 * Parses the settings of `svc-agent` and reports every problem at once. It never throws.
 *
 * @param words those behind the program's name
 */
export function parseAgentSettings(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): AgentSettingsResult {
  const flags = parseFlags(words, { table: agentVariables, refused: new Map(), strayHint });
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(agentVariables, { environment, flags: flags.values });
  const problems = [...flags.problems, ...parsed.problems, ...problemsBetween(parsed)];
  if (problems.length > 0) return { kind: "problems", problems };
  const { values } = parsed;
  const warnings = [
    ...nearMisses(environment.keys(), { table: agentVariables, prefixes }),
    ...(values.reactiveKill === true && !values.enforce ? [killsNobody] : []),
    ...(values.dryRun && !values.enforce ? [stopsNothing] : []),
  ];
  const reactiveKill = values.reactiveKill ?? values.enforce;
  return { kind: "settings", settings: { ...values, reactiveKill }, warnings };
}

const killsNobody = "REACTIVE_KILL does nothing without ENFORCE_MODE: attempts are only reported";

const stopsNothing =
  "ENFORCE_DRY_RUN does nothing without ENFORCE_MODE: attempts are only reported";

const strayHint = "every option begins with --";

type Row = keyof AgentTable;

/** Which rows mean nothing without another one. */
const companions: readonly (readonly [row: Row, needed: Row])[] = [
  ["grpcCertPath", "grpcKeyPath"],
  ["grpcKeyPath", "grpcCertPath"],
  ["grpcClientCaPath", "grpcCertPath"],
  ["platformCertPath", "platformKeyPath"],
  ["platformKeyPath", "platformCertPath"],
  ["csiTokenAudience", "csiKubeletFolder"],
  ["headersFile", "endpoint"],
  ["platformCaPath", "endpoint"],
];

/** In a pod it is always there. */
const needsCluster: (typeof companions)[number] = ["policyResources", "apiHost"];

function problemsBetween({ given, values }: ParsedVariables<AgentTable>): readonly Problem[] {
  const { policyResources, apiHost } = values;
  return companions
    .concat(policyResources === true && apiHost === undefined ? [needsCluster] : [])
    .filter(([row, needed]) => given.has(row) && !given.has(needed))
    .map(([row, needed]) =>
      problem({
        variable: agentVariables[row].name,
        wanted: `set together with ${agentVariables[needed].name}`,
        found: "that is not set",
      }),
    );
}
