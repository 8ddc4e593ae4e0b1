import { type Log, unexpected } from "@svc/logging";
import type { RegistryLogins } from "../registry-logins/providers/registry-logins.ts";

/**
 * Logs in at the start and logs the outcome, so that a mistake shows before the first pod.
 */
export async function rehearseLogins(
  logins: Pick<RegistryLogins, "rehearse">,
  log: Log,
): Promise<void> {
  const found = await logins.rehearse().catch((error: unknown) => {
    log("warn", `rehearse the logins at registries: ${unexpected(error)}`);
    return [];
  });
  for (const { source, registry, error } of found) {
    if (error === undefined) log("info", `the login at ${registry} works`, { source });
    else log("warn", `login at ${registry}: ${error.message} (${error.hint})`, { source });
  }
}
