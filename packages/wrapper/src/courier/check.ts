import type { VaultClient } from "@svc/vault";
import { WrapperError } from "../errors.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import { connect, shortRetry } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import { isAlive, tokenRefused } from "./fetch-secrets.ts";
import { type Changes, findChanges } from "./find-changes.ts";
import { lifeFromNow } from "./held-token.ts";
import { type KeptToken, keepToken, replaceToken } from "./keep-token.ts";
import { type RenewedLeases, renewLeases } from "./renew-leases.ts";
import { readSession, type Session } from "./session-region.ts";

/**
 * Renews due tokens and leases, and looks for changes.
 *
 * @throws WrapperError, VaultError if there is no token to work with; single failures are in the
 * result.
 */
export async function check(context: CourierContext, job: CheckJob): Promise<void> {
  const session = readSession(context);
  if (context.jobMessage.settings.vault === undefined) return checkFiles(context, session, job);
  const client = connect(context, shortRetry(context));
  const { kept, leases, changes } = await lookWithLivingToken(context, session, client, job);
  const { life, loggedIn } = kept;
  const { watched, changed, older } = changes;
  context.say({
    kind: "checked",
    ...(life === undefined ? {} : { token: lifeFromNow(life, performance.now()) }),
    loggedIn,
    renewedLeases: leases.renewed,
    endingLeases: leases.ending,
    ...{ watched, changed, older },
    failures: [...(kept.failure ? [kept.failure] : []), ...leases.failures, ...changes.failures],
  });
}

/** Without a vault no token and no lease is there to renew. */
async function checkFiles(context: CourierContext, session: Session, job: CheckJob) {
  const { secrets } = context.jobMessage.settings;
  const changes = await findChanges({ secrets, session, access: undefined }, job);
  const { watched, changed, older, failures } = changes;
  context.say({
    kind: "checked",
    ...{ loggedIn: false, renewedLeases: [], endingLeases: [] },
    ...{ watched, changed, older, failures },
  });
}

interface Look {
  readonly kept: KeptToken;
  readonly leases: RenewedLeases;
  readonly changes: Changes;
}

/**
 * A token may have been revoked long before its renewal is due: then it is refused, here or there.
 */
async function lookWithLivingToken(
  context: CourierContext,
  session: Session,
  client: VaultClient,
  job: CheckJob,
): Promise<Look> {
  const { secrets } = context.jobMessage.settings;
  const kept = await keepToken(context, session, client, job);
  const look = async (by: KeptToken): Promise<Look> => {
    const [leases, changes] = await Promise.all([
      renewLeases(client, by.token, job.leases),
      findChanges({ secrets, session, access: { client, token: by.token } }, job),
    ]);
    return { kept: by, leases, changes };
  };
  const first = await look(kept);
  if (!first.leases.denied && !first.changes.denied) return first;
  if (kept.loggedIn || (!kept.doubtful && (await isAlive(client, kept.token)))) return first;
  const fresh = await replaceToken(context, session, client);
  if (fresh === undefined) throw new WrapperError([tokenRefused(), ...first.changes.failures]);
  return look(fresh);
}
