/** Tables of `@svc/agent`, of which the reference pages and charts are made. */

export {
  type EventDescription,
  eventCatalogue,
  ownEventCatalogue,
} from "./events/event-catalogue.ts";
export {
  type ProgramSetting,
  programSettings,
  settingFileSystems,
} from "./events/program-settings.ts";
export { agentMetrics, METRIC_PREFIX } from "./health/metric-table.ts";
export { measuredBy } from "./monitor/leak-windows.ts";
export { carriedOut } from "./monitor/stop-rows.ts";
export {
  policyDefinition,
  unknownFieldsBinding,
  unknownFieldsPolicy,
} from "./policies/policy-definition.ts";
export { agentVariables } from "./settings/agent-variables.ts";
