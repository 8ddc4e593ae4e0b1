import { argumentSpace, exitProcess, readDescriptor } from "@svc/kernel";
import { VaultError } from "@svc/vault";
import { failure, WrapperError } from "../errors.ts";
import type { DeliverJob } from "../messages/courier-job.ts";
import { mayBeImpossible } from "../program/choose-delivery.ts";
import { deliveryTraits } from "../program/delivery-traits.ts";
import { examineProgram, type FoundDelivery } from "../program/find-delivery.ts";
import { type LocatedProgram, locateProgram } from "../program/locate-program.ts";
import { noSupervisor } from "../program/tracing.ts";
import type { FileEntry } from "../secret-files/file-entry.ts";
import type { PassedFile } from "../secret-files/passed-file.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import { becomeProgram } from "./become-program.ts";
import { startRetry } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import type { Delivery, ReadyDelivery } from "./delivery.ts";
import { warnOfLarge, warnOfUnleased } from "./delivery-warnings.ts";
import { letRequestsBegin } from "./engine/let-requests-begin.ts";
import { secretLock } from "./engine/secret-lock.ts";
import { type FetchedSecrets, fetchSecrets, resolveFetched } from "./fetch-secrets.ts";
import { largeValues } from "./large-values.ts";
import { refuseOlder } from "./older-version.ts";
import { regionLock } from "./region-lock.ts";
import { revokeQuickly } from "./revoke-quickly.ts";
import { fillRegion } from "./secret-region.ts";
import { readSession } from "./session-region.ts";

/**
 * Fetches the secrets and becomes the program. Returns by throwing, or if the secrets are the
 * ones that the program has.
 *
 * @throws WrapperError with everything that is wrong; the program has not been started then.
 */
export async function deliver(delivery: Delivery, job: DeliverJob): Promise<void> {
  const { jobMessage, descriptors, programWords, environment } = delivery;
  const program = locateProgram(jobMessage.settings.program, programWords, environment);
  const filled = await fetchIntoRegion(delivery, job, program);
  if (filled === undefined) return;
  if (job.waits) {
    // It may be for long: the values are in the region, and nowhere else.
    secretLock.forget();
    waitForGo(descriptors.go);
  }
  const { publish, ...ready } = filled;
  publish?.();
  becomeProgram({ ...delivery, program, ...ready });
}

/** Most programs have no files: the code for them is loaded when it is needed. */
async function makeFiles(
  { jobMessage }: Delivery,
  files: readonly FileEntry[],
): Promise<MadeFiles> {
  if (files.length === 0) return {};
  if (jobMessage.fileWay === "descriptors") {
    const { makePassedFiles } = await import("../secret-files/pass-files.ts");
    return { passedFiles: makePassedFiles(files) };
  }
  const { writeFileEntries } = await import("../secret-files/write-file-entries.ts");
  return { publish: writeFileEntries(jobMessage.settings.secrets, files).publish };
}

interface MadeFiles {
  /** Has the paths of files lead to their new content. */
  readonly publish?: () => void;
  /** Those that the program inherits. */
  readonly passedFiles?: readonly PassedFile[];
}

/** The program's delivery. Its values are only in the region. */
type Filled = Pick<ReadyDelivery, "region" | "choice" | "filter" | "variables"> & MadeFiles;

/** Undefined if the secrets are the ones that the program has. */
async function fetchIntoRegion(
  delivery: Delivery,
  job: DeliverJob,
  program: LocatedProgram,
): Promise<Filled | undefined> {
  const { jobMessage, descriptors, log, say } = delivery;
  const { settings } = jobMessage;
  const tracing = settings.supervise === "never" ? noSupervisor : jobMessage.tracing;
  const session = readSession(delivery);
  const examine = () => examineProgram(program, settings, tracing);
  // Nothing is asked of the vault for a delivery that cannot be.
  const chosen = mayBeImpossible({ setting: settings.delivery, follow: settings.follow })
    ? possible(examine()(undefined))
    : undefined;
  const isFirst = job.notBefore === undefined && job.unlessDigest === undefined;
  const fetching = fetchSecrets(delivery, session, { retry: startRetry(delivery), isFirst });
  fetching.catch(() => {
    // It is heard of below.
  });
  await letRequestsBegin();
  // The request is on its way and no answer is here yet: looking costs no time now.
  const find = chosen === undefined ? examine() : () => chosen;
  const fetched = await fetching;
  const { entries, files, state } = resolveFetched(delivery, fetched, session);
  refuseOlder(job.notBefore, state.watched);
  warnOfUnleased(fetched, log);
  if (job.unlessDigest === state.digest) {
    say({ kind: "unchanged", ...state });
    return undefined;
  }
  await endUnusedToken(delivery, fetched, state.leases.length > 0);
  const large = largeValues(entries, delivery.environment, argumentSpace());
  const { choice, filter } = possible(find(large));
  warnOfLarge(choice, large, log);
  const made = await makeFiles(delivery, files);
  const region = fillRegion(jobMessage.memoryKind, descriptors.region, entries, {
    reloadable: rotationOf(settings).refreshes,
    copied: deliveryTraits[choice.delivery].isOpened,
    lock: regionLock(delivery),
  });
  const variables = entries.map(({ variable }) => variable);
  // The supervisor becomes the program, without a word to this courier.
  if (settings.supervise === "never") made.publish?.();
  const { lengthBytes } = region;
  const loggedIn = fetched.held?.life !== undefined;
  const memoryLocked = secretLock.isWhole();
  say({ kind: "fetched", ...state, variables, lengthBytes, loggedIn, memoryLocked });
  return { region, choice, filter, variables, ...made };
}

function possible({ choice, filter }: FoundDelivery): Pick<Filled, "choice" | "filter"> {
  if (choice.delivery !== "impossible") return { choice, filter };
  throw new WrapperError([failure("DELIVERY_IMPOSSIBLE", `deliver by ${choice.reason}`)]);
}

/**
 * With SVC_ROTATION=none no courier asks the vault again: the token of the wrapper's login would
 * only stay valid until it expires. Leased secrets would end with it.
 */
async function endUnusedToken(
  context: CourierContext,
  { held }: FetchedSecrets,
  hasLeases: boolean,
): Promise<void> {
  const { jobMessage, log } = context;
  if (rotationOf(jobMessage.settings).way !== undefined || held?.life?.own !== true) return;
  if (held.life.isBatch === true) {
    log.info("the token is left to expire: nothing can revoke a batch token", {
      ttlMs: held.life.ttlMs,
    });
    return;
  }
  if (hasLeases) {
    log.warn("the token is kept until it expires: leased secrets end with it", {
      ttlMs: held.life.ttlMs,
    });
    return;
  }
  try {
    await revokeQuickly(context, held.token);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    log.warn(`the token is kept until it expires: ${error.message}`, { code: error.code });
  }
}

/** The values are in the region, and the old program is about to end. */
function waitForGo(fd: number): void {
  // The supervisor is gone, or has thought better of it.
  if (readDescriptor(fd, 1).kind !== "bytes") exitProcess(125);
}
