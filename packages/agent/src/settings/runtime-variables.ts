import { variable } from "@svc/settings";
import { parseRuntimePaths } from "../runtimes/runtime-paths.ts";

/** The container runtimes that may enter the namespaces of programs. */
export const runtimeVariables = {
  containerRuntimes: variable({
    name: "CONTAINER_RUNTIMES",
    group: "Kernel side",
    type: "list",
    requiredness: "no",
    parse: parseRuntimePaths,
    meaning:
      "With ENFORCE_MODE: executables on the machine that may enter the namespaces of registered programs, as `kubectl exec` has them do; absolute paths with commas between them, or `none`. Unset: runc, crun, youki, conmon, crio, kata and their shims in the folders of distributions. They are known by their inodes, looked up every minute.",
  }),
};
