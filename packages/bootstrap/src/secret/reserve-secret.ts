import type { SecretClient, SecretObject } from "./secret-object.ts";
import type { Holding } from "./secret-phase.ts";
import { writePhase } from "./write-phase.ts";
import { writtenOver } from "./written-over.ts";

/**
 * Writes a reservation: into a new Secret, or over the one that was seen, if no client has changed
 * it since.
 * Whether it holds is seen by reading again: of two runs only one finds its own.
 *
 * @throws BootstrapError `KUBERNETES_*`
 */
export async function reserveSecret(
  secret: SecretClient,
  seen: SecretObject | undefined,
  reservation: Holding,
): Promise<void> {
  const content = writePhase(reservation);
  if (seen === undefined) await secret.create(content);
  else await secret.replace(writtenOver(content, seen), seen.revision);
}
