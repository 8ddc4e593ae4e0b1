import { cString, type EnvironmentEntry, valueText } from "@svc/kernel";
// Not through settings.ts: the courier has no use for the tables, and loading them takes time.
import { isWrapperVariable } from "../settings/wrapper-variable.ts";
import type { ReadyDelivery } from "./delivery.ts";

/**
 * The program's environment: its own entries untouched and where the kernel put them, without the
 * wrapper's variables, and what the chosen delivery adds. Entries of ours are C strings; the others
 * are addresses of C strings, secrets among them inside the region.
 */
export function programEnvironment(ready: ReadyDelivery): readonly (Uint8Array | number)[] {
  const { choice, entries, region, brief } = ready;
  const pass = new Set(brief.settings.passEnv);
  const delivered = choice.rung === "env" ? region.addresses : [];
  const replaced = new Set(choice.rung === "env" ? entries.map(({ variable }) => variable) : []);
  const kept = ready.environment
    .filter(({ name }) => !replaced.has(name) && (pass.has(name) || !isWrapperVariable(name)))
    .map((entry) => keep(entry, brief.supervisorPid));
  const descriptor = choice.rung === "library" ? [cString(`SVC_SECRET_FD=${region.fd}`)] : [];
  return [...kept, ...delivered, ...descriptor];
}

/** Descriptors that systemd passed on are meant for the process that LISTEN_PID names. */
function keep(entry: EnvironmentEntry, supervisorPid: number): Uint8Array | number {
  if (entry.name !== "LISTEN_PID" || valueText(entry) !== String(supervisorPid)) {
    return entry.address;
  }
  return cString(`LISTEN_PID=${process.pid}`);
}
