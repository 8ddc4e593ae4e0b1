import { cgroupIdentity, systemdUnit } from "../report/cgroup-identity.ts";

/** The callers outside of pods that the administrator lets register at the socket. */
export interface RegistrationRules {
  /** Numbers of users, in the agent's user namespace. */
  readonly users: readonly number[];
  /** Names of services; `*` stands for any characters. */
  readonly units: readonly string[];
}

/** The caller, as the kernel identifies it. */
export interface CallerFacts {
  readonly uid: number;
  readonly cgroup: string;
}

/** The authority to register. */
export type Authority = "pod" | "unit" | "user";

/**
 * Pure: a caller's authority to register; undefined if it has none. A pod has the socket because
 * the operator, or a user who may mount folders of the node, has given it one; its cgroup
 * identifies the pod.
 */
export function authorityOf(
  { uid, cgroup }: CallerFacts,
  { users, units }: RegistrationRules,
): Authority | undefined {
  if (cgroupIdentity(cgroup).podUid !== undefined) return "pod";
  const unit = systemdUnit(cgroup);
  if (unit !== undefined && units.some((pattern) => matches(pattern, unit))) return "unit";
  return users.includes(uid) ? "user" : undefined;
}

/** Backtracks to the last star only, so no pattern takes long. */
function matches(pattern: string, unit: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!unit.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return unit === pattern;
  let at = first.length;
  for (const part of rest) {
    const found = unit.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return unit.length - last.length >= at && unit.endsWith(last);
}
