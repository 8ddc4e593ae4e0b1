import type { PrintedRecord } from "../../harness/agent/running-agent.ts";

/** The pid of a record's actor. */
export function pidOf({ actor }: PrintedRecord): unknown {
  return typeof actor === "object" && actor !== null && "pid" in actor ? actor.pid : undefined;
}
