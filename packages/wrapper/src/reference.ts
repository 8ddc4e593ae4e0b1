/** Tables of `@svc/wrapper`, of which the reference pages and charts are made. */

export { METRIC_PREFIX, type Metric, wrapperMetrics } from "./health/metric-table.ts";
export { protectionItems } from "./protection/protection-items.ts";
export { wrapperVariables } from "./settings/variables.ts";
