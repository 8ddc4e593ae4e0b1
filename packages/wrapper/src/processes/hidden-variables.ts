import { type EnvironmentEntry, wipeEntry } from "@svc/kernel";
import { tokenVariable } from "./take-token.ts";

const roleIdVariable = "VAULT_APPROLE_ROLE_ID";

/** True for a variable that neither couriers nor the program get: the supervisor wipes it. */
export function isHidden({ name }: EnvironmentEntry): boolean {
  return name === tokenVariable || name === roleIdVariable;
}

/** Wipes the role id once the settings have been read: /proc/PID/environ then shows zeroes. */
export function wipeRoleId(environment: readonly EnvironmentEntry[]): void {
  for (const entry of environment) if (entry.name === roleIdVariable) wipeEntry(entry);
}
