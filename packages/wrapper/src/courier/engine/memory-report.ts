import { guardReport } from "svc:engine";
import { outOfMemory } from "../../errors.ts";
import { messageBytes } from "../../messages/courier-message.ts";

/** Has the host tell the supervisor if this process has no memory left to do so. */
export function reportLackOfMemory(fd: number): void {
  guardReport(fd, messageBytes({ kind: "failed", failures: [outOfMemory] }));
}
