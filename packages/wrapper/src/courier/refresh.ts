import { RegionFormatError } from "@svc/protocol";
import { failure, WrapperError } from "../errors.ts";
import type { RefreshJob } from "../messages/courier-job.ts";
import type { FileEntry } from "../secret-files/file-entry.ts";
import { shortRetry } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import { fetchSecrets, resolveFetched } from "./fetch-secrets.ts";
import { refuseOlder } from "./older-version.ts";
import { writeGeneration } from "./refresh-region.ts";
import { regionLock } from "./region-lock.ts";
import { readSession } from "./session-region.ts";

/**
 * Fetches the secrets and writes them into the running program's region.
 *
 * @throws WrapperError with all problems; the program then keeps its values.
 */
export async function refresh(context: CourierContext, job: RefreshJob): Promise<void> {
  const { jobMessage, descriptors, say } = context;
  const session = readSession(context);
  const fetched = await fetchSecrets(context, session, { retry: shortRetry(context) });
  const { entries, files, state } = resolveFetched(context, fetched, session);
  refuseOlder(job.notBefore, state.watched);
  if (job.unlessDigest === state.digest) return say({ kind: "unchanged", ...state });
  const written = files.length === 0 ? undefined : await writeFiles(context, files);
  const { lengthBytes, variables, pointedAt } = job;
  if (entries.length === 0 && variables.length === 0) {
    written?.publish();
    return say({ kind: "refreshed", ...state, placed: { generation: pointedAt, offsets: {} } });
  }
  const memory = { fd: descriptors.region, kind: jobMessage.memoryKind, lengthBytes };
  try {
    const placed = writeGeneration(memory, entries, variables, {
      pointedAt,
      lock: regionLock(context),
    });
    written?.publish();
    say({ kind: "refreshed", ...state, placed });
  } catch (error) {
    written?.discard();
    if (!(error instanceof RegionFormatError)) throw error;
    const message = `put the new values into the running program: ${error.message}`;
    throw new WrapperError([failure("RESTART_NEEDED", message)], error);
  }
}

async function writeFiles({ jobMessage }: CourierContext, files: readonly FileEntry[]) {
  const { writeFileEntries } = await import("../secret-files/write-file-entries.ts");
  return writeFileEntries(jobMessage.settings.secrets, files);
}
