import { libc } from "#native";

/** The user by whose rights this process opens and makes files; geteuid(2). */
export function effectiveUserId(): number {
  return libc.geteuid();
}
