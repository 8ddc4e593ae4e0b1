import { BootstrapError } from "../bootstrap-error.ts";
import { parsePhase } from "./parse-phase.ts";
import { rehearseWrite } from "./rehearse-write.ts";
import { retryUnreachable } from "./retry-unreachable.ts";
import { sameContent } from "./same-content.ts";
import type { SecretClient } from "./secret-object.ts";
import type { StoredKeys } from "./secret-phase.ts";
import { writePhase } from "./write-phase.ts";
import { writtenOver } from "./written-over.ts";

/** Lost answers and conflicts that are got over. */
const ATTEMPTS = 5;
/** For an API server that starts again. */
const PATIENCE = { deadlineMs: 30_000, intervalMs: 250 };

/**
 * Notes in the Secret whose keys they are, once the unsealed store has said so and has taken them.
 * @throws BootstrapError `OUTPUT_FOREIGN`, `OUTPUT_NOT_KEPT`, `KUBERNETES_*`
 */
export function noteCluster(
  secret: SecretClient,
  clusterId: string,
): Promise<"updated" | "unchanged"> {
  return amendKeys(secret, (keys) => ({ ...keys, clusterId: keys.clusterId ?? clusterId }));
}

/**
 * Notes the set-up of the store in the Secret; the last note is valid.
 * @param digest a text that says nothing of the keys
 * @throws BootstrapError `OUTPUT_FOREIGN`, `OUTPUT_NOT_KEPT`, `KUBERNETES_*`
 */
export function noteConfigured(
  secret: SecretClient,
  digest: string,
): Promise<"updated" | "unchanged"> {
  return amendKeys(secret, (keys) => ({ ...keys, configured: digest }));
}

/**
 * Notes in the Secret that its root token is about to be revoked, so that a later run knows why the
 * store refuses it. Nothing is noted if there is none.
 * @throws BootstrapError `OUTPUT_FOREIGN`, `OUTPUT_NOT_KEPT`, `KUBERNETES_*`
 */
export function beginRevocation(secret: SecretClient): Promise<"updated" | "unchanged"> {
  return amendKeys(secret, (keys) => ({ ...keys, revoking: keys.rootToken !== undefined }));
}

/**
 * Takes a revoked root token out of the Secret, with its notes.
 * @throws BootstrapError `OUTPUT_FOREIGN`, `OUTPUT_NOT_KEPT`, `KUBERNETES_*`
 */
export function dropRootToken(secret: SecretClient): Promise<"updated" | "unchanged"> {
  return amendKeys(secret, ({ encryption: { rootToken: _, ...encryption }, ...keys }) => ({
    ...{ ...keys, encryption },
    ...{ rootToken: undefined, revoking: false },
  }));
}

async function amendKeys(
  secret: SecretClient,
  change: (keys: StoredKeys) => StoredKeys,
): Promise<"updated" | "unchanged"> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await retryUnreachable(() => secret.read(), PATIENCE);
    const phase = parsePhase(seen);
    if (seen === undefined || phase.phase !== "initialised") throw noKeys(secret);
    const wanted = writePhase(change(phase));
    if (sameContent(seen, wanted)) return attempt === 0 ? "unchanged" : "updated";
    if (seen.immutable)
      throw new BootstrapError("OUTPUT_NOT_KEPT", `update ${secret.name}: it is immutable`);
    const content = writtenOver(wanted, seen);
    const rehearsed = await retryUnreachable(
      () => rehearseWrite(secret, { content, revision: seen.revision, isDummy: false }),
      PATIENCE,
    );
    if (rehearsed === "conflict") continue;
    await secret.replace(content, seen.revision).catch(forgiveLostAnswer);
  }
  const found = `after ${ATTEMPTS} attempts it is not as written`;
  throw new BootstrapError("OUTPUT_NOT_KEPT", `update ${secret.name}: ${found}`);
}

function noKeys({ name }: SecretClient): BootstrapError {
  return new BootstrapError("OUTPUT_FOREIGN", `update ${name}: the keys are not there any more`);
}

/** The next look shows whether it arrived. */
function forgiveLostAnswer(error: unknown): void {
  if (!(error instanceof BootstrapError) || error.code !== "KUBERNETES_UNREACHABLE") throw error;
}
