import { parseFilePath, parseGoBoolean, variable } from "@svc/settings";

const group = "Policies";

/** Permissions to do refused things, and the dry run. */
export const policyVariables = {
  policyFile: variable({
    name: "POLICY_FILE",
    group,
    type: "file",
    requiredness: "no",
    parse: parseFilePath,
    meaning:
      "File with policies, YAML or JSON. They let your own tools through, by executable, service, pod, user or group. Only root may own the file and write to it. The agent looks at it every two seconds; a file with a mistake changes nothing. Unset: there are no policies.",
  }),
  policyResources: variable({
    name: "POLICY_RESOURCES",
    group,
    type: "boolean",
    requiredness: "no",
    parse: parseGoBoolean,
    meaning:
      "Follows the SvcPolicies of the cluster, as the service account of the agent's pod. They and POLICY_FILE are one set of policies. For policies that name pods, the agent watches the metadata of the node's pods. Unset: `false`; the chart sets `true` if ENFORCE_MODE is set.",
  }),
  dryRun: variable({
    name: "ENFORCE_DRY_RUN",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "With ENFORCE_MODE: nothing is stopped, and the decision of each event is `would_block` or `would_kill`. Nothing outlives the agent, and the agent tells wrappers that it only reports attempts.",
  }),
};
