import { parseListenAddress, parseOneOf, variable } from "@svc/settings";
import { kernelVariables } from "./kernel-variables.ts";
import { platformVariables } from "./platform-variables.ts";
import { policyVariables } from "./policy-variables.ts";
import { registrationVariables } from "./registration-variables.ts";
import { runtimeVariables } from "./runtime-variables.ts";

/**
 * Every setting of the agent. The reference page, `--help` and the chart's values are made of this
 * table.
 */
export const agentVariables = {
  ...kernelVariables,
  ...policyVariables,
  ...runtimeVariables,
  ...registrationVariables,
  ...platformVariables,
  healthListen: variable({
    name: "HEALTH_LISTEN_ADDR",
    group: "Health",
    type: "listen address",
    default: "0.0.0.0:9090",
    parse: parseListenAddress,
    meaning: "HTTP address of /healthz, /readyz, /status and /metrics. Port 0 is any free port.",
  }),
  logLevel: variable({
    name: "LOG_LEVEL",
    group: "Health",
    type: "word",
    default: "info",
    parse: parseOneOf(["debug", "info", "warn", "error"]),
    meaning:
      "Least important lines of the agent's own log on standard error. Events, on standard output, do not depend on it.",
  }),
};

/** The type of the table above. */
export type AgentTable = typeof agentVariables;
