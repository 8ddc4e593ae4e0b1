/**
 * `@svc/logging`: lines of a long-lived program's log, their way out, and the frame that such a
 * program runs in.
 */
export { aborted } from "./aborted.ts";
export { isLogged, jsonLog } from "./json-log.ts";
export { type LineQueue, lineQueue } from "./line-queue.ts";
export type { Log, LogLevel } from "./log.ts";
export { pause } from "./pause.ts";
export { runService, type Service, type ServiceParts, unexpected } from "./run-service.ts";
export { writeLinesTo } from "./write-lines-to.ts";
