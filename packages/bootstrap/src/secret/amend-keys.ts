import { BootstrapError } from "../bootstrap-error.ts";
import { parsePhase } from "./parse-phase.ts";
import { sameContent } from "./same-content.ts";
import type { SecretDoor } from "./secret-object.ts";
import type { StoredKeys } from "./secret-phase.ts";
import { writePhase } from "./write-phase.ts";

/** Lost answers and conflicts that are got over. */
const ATTEMPTS = 5;

/**
 * Notes in the Secret whose keys they are, once the unsealed store has said so and has taken them.
 * @throws BootstrapError `OUTPUT_FOREIGN`, `OUTPUT_NOT_KEPT`, `KUBERNETES_*`
 */
export function noteCluster(door: SecretDoor, clusterId: string): Promise<"updated" | "unchanged"> {
  return amendKeys(door, (keys) => ({ ...keys, clusterId: keys.clusterId ?? clusterId }));
}

/**
 * Takes a revoked root token out of the Secret.
 * @throws BootstrapError `OUTPUT_FOREIGN`, `OUTPUT_NOT_KEPT`, `KUBERNETES_*`
 */
export function dropRootToken(door: SecretDoor): Promise<"updated" | "unchanged"> {
  return amendKeys(door, (keys) => ({ ...keys, rootToken: undefined }));
}

async function amendKeys(
  door: SecretDoor,
  change: (keys: StoredKeys) => StoredKeys,
): Promise<"updated" | "unchanged"> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await door.read();
    const phase = parsePhase(seen);
    if (seen === undefined || phase.phase !== "initialised") throw noKeys(door);
    const wanted = writePhase(change(phase));
    if (sameContent(seen, wanted)) return attempt === 0 ? "unchanged" : "updated";
    await door.replace(wanted, seen.revision).catch(forgiveLostAnswer);
  }
  const found = `after ${ATTEMPTS} attempts it is not as written`;
  throw new BootstrapError("OUTPUT_NOT_KEPT", `update ${door.name}: ${found}`);
}

function noKeys({ name }: SecretDoor): BootstrapError {
  return new BootstrapError("OUTPUT_FOREIGN", `update ${name}: the keys are not there any more`);
}

/** The next look shows whether it arrived. */
function forgiveLostAnswer(error: unknown): void {
  if (!(error instanceof BootstrapError) || error.code !== "KUBERNETES_UNREACHABLE") throw error;
}
