/** Tables of `@svc/cli`, of which the reference pages and charts are made. */

export { doctorFlags } from "./doctor/doctor-settings.ts";
export { explainFlags } from "./explain/explain-flags.ts";
export { injectFlags } from "./inject/inject-flags.ts";
export { refreshFlags } from "./refresh/refresh-flags.ts";
export { statusFlags } from "./status/status-flags.ts";
