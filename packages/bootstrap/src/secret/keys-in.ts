import { BootstrapError } from "../bootstrap-error.ts";
import { parsePhase } from "./parse-phase.ts";
import { retryUnreachable } from "./retry-unreachable.ts";
import type { SecretClient } from "./secret-object.ts";
import type { StoredKeys } from "./secret-phase.ts";

const PATIENCE = { deadlineMs: 30_000, intervalMs: 250 };

/**
 * The keys in a Secret.
 * @throws BootstrapError `OUTPUT_MISSING`, `OUTPUT_FOREIGN`, `OUTPUT_RESERVED`, `KUBERNETES_*`
 */
export async function keysIn(secret: SecretClient): Promise<StoredKeys> {
  const phase = parsePhase(await retryUnreachable(() => secret.read(), PATIENCE));
  const refuse = (code: "OUTPUT_MISSING" | "OUTPUT_FOREIGN" | "OUTPUT_RESERVED", found: string) =>
    new BootstrapError(code, `use ${secret.name}: ${found}`);
  switch (phase.phase) {
    case "initialised":
      return phase;
    case "absent":
      throw refuse("OUTPUT_MISSING", "there is no such Secret");
    case "empty":
      throw refuse("OUTPUT_MISSING", "it is empty");
    case "reserved":
    case "initialising":
    case "resetting":
      throw refuse("OUTPUT_RESERVED", `"${phase.holder}" has reserved it, and no keys are there`);
    case "foreign":
      throw refuse("OUTPUT_FOREIGN", phase.why);
  }
}
