import { agentVariables as agentTable } from "../../../packages/agent/src/reference.ts";
import { flagOf, type Variable } from "../../../packages/settings/src/index.ts";
import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { accountValues, imageValues, podValues } from "./pod-values.ts";
import { settingGroups, settingName } from "./setting-value.ts";
import { item, objects, resources, text, yesOrNo } from "./value-schemas.ts";

const parent = "agent.settings";

/**
 * Those that an installation may want to change. NODE_NAME comes from the pod, and so do the
 * variables without a flag from Kubernetes.
 */
const { nodeName: _, ...settable } = agentTable;

export const agentSettings: readonly Variable[] = Object.values<Variable>(settable).filter(
  (row) => flagOf(row) !== undefined,
);

const program: readonly ChartValue[] = [
  {
    path: "agent.enabled",
    default: false,
    schema: yesOrNo,
    meaning: "Runs the agent on every node.",
  },
  {
    path: "agent.namespace",
    default: "svc-agent",
    schema: { ...text, maxLength: 63, pattern: "^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$" },
    meaning:
      "Namespace of the agent. It shares the node's processes and folders, which the pod security level `privileged` allows; the operator's namespace can be `restricted`. Empty: the release's own.",
  },
  {
    path: "agent.createNamespace",
    default: true,
    schema: yesOrNo,
    meaning:
      "Makes that namespace, with the level `privileged`. `false` if it is there, or if only you may make namespaces.",
  },
  ...imageValues("agent.", "Image with the agent. Empty: REGISTRY/svc-agent."),
];

const pod: readonly ChartValue[] = [
  {
    path: "agent.extraVolumes",
    default: [],
    schema: objects,
    meaning:
      "Further volumes of the pod, for files that settings name: certificates, headers for the platform.",
  },
  {
    path: "agent.extraVolumeMounts",
    default: [],
    schema: objects,
    meaning: "Where they are.",
  },
  {
    path: "agent.capabilities",
    default: ["BPF", "PERFMON", "SYS_PTRACE", "KILL"],
    schema: { type: "array", items: item },
    meaning: "Capabilities of the container: load programs, attach them, look into processes.",
  },
  {
    path: "agent.privileged",
    default: false,
    schema: yesOrNo,
    meaning: "Everything instead, if a node does not let it work otherwise.",
  },
  {
    path: "agent.resources",
    default: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "256Mi" } },
    schema: resources,
    meaning: "The resources of the container.",
  },
  ...accountValues("agent."),
  ...podValues("agent.", "system-node-critical").map(onEveryNode),
];

function onEveryNode(value: ChartValue): ChartValue {
  return value.path === "agent.tolerations"
    ? { ...value, default: [{ operator: "Exists" }] }
    : value;
}

/** The values of the chart `svc` for the agent. */
export const agentValues: readonly ValueGroup[] = [
  { title: "Agent", values: program },
  ...settingGroups(agentSettings, { parent, structured: true }),
  { title: "Agent's pod", values: pod },
];

/** The value by the variable that it sets, for the templates. */
export const agentVariables = Object.fromEntries(
  agentSettings.map((setting) => [setting.name, settingName(setting)]),
);
