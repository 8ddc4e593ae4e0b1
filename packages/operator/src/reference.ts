/** Tables of `@svc/operator`, of which the reference pages and charts are made. */

export { METRIC_PREFIX, operatorMetricTable } from "./admission/metric-table.ts";
export { configFields } from "./inject/config-fields.ts";
export { injectedVariables } from "./inject/injected-variables.ts";
