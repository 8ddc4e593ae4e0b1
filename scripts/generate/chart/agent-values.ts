import { flagOf, type Variable, variable } from "../../../packages/settings/src/index.ts";
import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { accountValues, imageValues, podValues } from "./pod-values.ts";
import { settingGroups, settingName } from "./setting-value.ts";
import { item, resources, yesOrNo } from "./value-schemas.ts";

const parent = "agent.settings";

/** The agent's variables, until its package has a table of them. NODE_NAME comes from the pod. */
export const agentSettings: readonly Variable[] = [
  row("EBPF_OBJECT_PATH", "file", "/opt/svc/secret_monitor.o", "Compiled BPF object."),
  row("ENFORCE_MODE", "boolean", "false", "Blocks what would carry secrets away, or only logs it."),
  row(
    "LOG_ALL",
    "boolean",
    "false",
    "Logs every system call that is watched, not only violations.",
  ),
  row(
    "REACTIVE_KILL",
    "boolean",
    undefined,
    "Kills where the kernel cannot block. Empty: as ENFORCE_MODE.",
  ),
  row(
    "GLOBAL_PRIVESC_DETECT",
    "boolean",
    "true",
    "Sees kernel modules and BPF programs being loaded by any process.",
  ),
  row("GRPC_LISTEN_ADDR", "address", "0.0.0.0:9443", "Where wrappers announce their programs."),
  row("PLATFORM_ENDPOINT", "url", undefined, "Who is sent the events."),
  row("HEALTH_LISTEN_ADDR", "address", "0.0.0.0:9090", "Where its health is asked for."),
];

function row(name: string, type: string, text: string | undefined, meaning: string): Variable {
  const flag = flagOf(name);
  return variable({
    name,
    group: "Agent's settings",
    type,
    default: text,
    meaning,
    parse: undefined,
    flag,
  });
}

const program: readonly ChartValue[] = [
  {
    path: "agent.enabled",
    default: false,
    schema: yesOrNo,
    meaning:
      "Runs the agent on every node. There is no such program yet: these values wait for it.",
  },
  ...imageValues("agent.", "Image with the agent. Needed where it is enabled.").map((value) => ({
    ...value,
    required: false,
  })),
];

const pod: readonly ChartValue[] = [
  {
    path: "agent.capabilities",
    default: ["BPF", "PERFMON", "SYS_PTRACE", "KILL"],
    schema: { type: "array", items: item },
    meaning:
      "What the container may do: load programs, attach them, look into processes, end them.",
  },
  {
    path: "agent.privileged",
    default: false,
    schema: yesOrNo,
    meaning: "Everything instead, where a node does not let it work otherwise.",
  },
  {
    path: "agent.resources",
    default: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "256Mi" } },
    schema: resources,
    meaning: "Of the container.",
  },
  ...accountValues("agent."),
  ...podValues("agent.", "system-node-critical").map(onEveryNode),
];

function onEveryNode(value: ChartValue): ChartValue {
  return value.path === "agent.tolerations"
    ? { ...value, default: [{ operator: "Exists" }] }
    : value;
}

/** What the chart `svc` has about the agent. */
export const agentValues: readonly ValueGroup[] = [
  { title: "Agent", values: program },
  ...settingGroups(agentSettings, { parent, structured: true }),
  { title: "Agent's pod", values: pod },
];

/** The value by the variable that it sets: what the templates read. */
export const agentVariables = Object.fromEntries(
  agentSettings.map((setting) => [setting.name, settingName(setting)]),
);
