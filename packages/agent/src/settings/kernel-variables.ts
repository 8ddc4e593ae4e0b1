import { parseDurationBetween, parseFilePath, parseGoBoolean, variable } from "@svc/settings";
import { parseEnforceMode } from "./parse-enforce-mode.ts";

const group = "Kernel side";

/** The programs that the agent loads into the kernel, and their tasks there. */
export const kernelVariables = {
  objectPath: variable({
    name: "EBPF_OBJECT_PATH",
    group,
    type: "file",
    default: "/opt/svc/secret_monitor.o",
    parse: parseFilePath,
    meaning: "Path of the compiled BPF object. It has to be the one that came with this agent.",
  }),
  enforce: variable({
    name: "ENFORCE_MODE",
    group,
    type: "boolean",
    default: "false",
    parse: parseEnforceMode,
    meaning:
      "`true` or `enforce`: the agent stops attempts by the strongest mechanism of the kernel. `false` or `detect`: it only reports them.",
  }),
  enforceNode: variable({
    name: "ENFORCE_NODE",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "With ENFORCE_MODE: refuses access to the kernel, and so to every program's memory, to all processes of the machine. This covers modules, BPF programs except those of networks and cgroups, kexec, probes, `/dev/mem`, settings like `core_pattern`. `false`: only reported.",
  }),
  guardDeadline: variable({
    name: "ENFORCE_DEADLINE",
    group,
    type: "duration",
    default: "5m",
    parse: parseDurationBetween({ least: "10s", most: "24h" }),
    meaning:
      "With ENFORCE_MODE: when no agent has run for this time, access to the kernel is no longer refused, and the agent's programs can be removed from the kernel. Registered programs stay protected.",
  }),
  logAll: variable({
    name: "LOG_ALL",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Logs every attempt on any process, and not only violations: high volume. The others go to standard output only, never to the platform, and may be lost.",
  }),
  reactiveKill: variable({
    name: "REACTIVE_KILL",
    group,
    type: "boolean",
    requiredness: "no",
    parse: parseGoBoolean,
    meaning:
      "With ENFORCE_MODE: kills a process that reaches for values, or for the kernel, if the kernel cannot refuse that. Values that it has read by then are lost. Unset: as ENFORCE_MODE; alone it does nothing.",
  }),
  watchNode: variable({
    name: "GLOBAL_PRIVESC_DETECT",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Reports kernel modules and BPF programs that any process loads, and other accesses to the kernel.",
  }),
  keepOutOfSwap: variable({
    name: "KEEP_OUT_OF_SWAP",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Writes 0 to `memory.swap.max` of the control groups (v2) of registered programs, so that the kernel writes none of their memory to a disk. `false`: the agent only reports which programs may be swapped.",
  }),
  programStats: variable({
    name: "BPF_PROGRAM_STATS",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Has the kernel measure how often and how long BPF programs run, for /metrics. It costs some 20 ns for every run of every program of the machine.",
  }),
};
