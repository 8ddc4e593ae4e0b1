import type { AuditEvent } from "../events/audit-event.ts";

/**
 * An event as one line of JSON, without the line's end. Numbers of 64 bits are strings, as many readers of JSON
 * have no such numbers.
 */
export function eventLine(event: AuditEvent): string {
  return JSON.stringify(event, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}
