import { parseFilePath, parseGoBoolean, variable } from "@svc/settings";
import { parseEnforceMode } from "./parse-enforce-mode.ts";

const group = "Kernel side";

/** What is loaded into the kernel, and what it does there. */
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
      "`true` or `enforce`: attempts are to be stopped; `false` or `detect`: only reported. This version only reports, and says so where it is asked for more.",
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
      "Kills who attempts where the kernel cannot refuse. Unset: as ENFORCE_MODE. Without effect in this version.",
  }),
  watchNode: variable({
    name: "GLOBAL_PRIVESC_DETECT",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Sees kernel modules and BPF programs being loaded, and what else opens the kernel, by all processes.",
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
