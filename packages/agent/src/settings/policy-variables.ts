import { parseFilePath, parseGoBoolean, variable } from "@svc/settings";

const group = "Policies";

/** Who may do what would be refused, and whether anything is. */
export const policyVariables = {
  policyFile: variable({
    name: "POLICY_FILE",
    group,
    type: "file",
    requiredness: "no",
    parse: parseFilePath,
    meaning:
      "File with policies, YAML or JSON: who may do what is refused to others, by executable, service, user or group. It has to be root's, and only root's to write. The agent looks at it every two seconds; a file with a mistake changes nothing. Unset: there are no policies.",
  }),
  dryRun: variable({
    name: "ENFORCE_DRY_RUN",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "With ENFORCE_MODE: nothing is stopped, and events say what would have become of each attempt: `would_block` or `would_kill`. Nothing outlives the agent, and wrappers are told that attempts are only reported.",
  }),
};
