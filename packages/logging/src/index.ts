/** `@svc/logging`: lines of a long-lived program's log, and their way out. */
export { isLogged, jsonLog } from "./json-log.ts";
export { type LineQueue, lineQueue } from "./line-queue.ts";
export type { Log, LogLevel } from "./log.ts";
export { writeLinesTo } from "./write-lines-to.ts";
