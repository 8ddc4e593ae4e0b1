import { HINT_SUBSCRIPTION_PATH, type HintSubscriptionAnswer } from "@svc/protocol";
import { present } from "@svc/settings";
import type { SubscribeJob } from "../messages/courier-job.ts";
import { askOperator, type OperatorAnswer, pauseIn, reasonIn } from "./ask-operator.ts";
import { vaultOf } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";

/** More often would be a load. The operator forgets a wrapper that renews less often. */
const RENEWALS = { leastMs: 10_000, mostMs: 900_000 };
const RETRIES = { leastMs: 5000, mostMs: 600_000 };

/**
 * Subscribes to the operator's hints about these secrets.
 *
 * @throws WrapperError `HINTS_UNANSWERED` if it gives no answer that can be used
 */
export async function subscribe(context: CourierContext, job: SubscribeJob): Promise<void> {
  const { rotation, health } = context.jobMessage.settings;
  if (rotation.permits === undefined) throw new TypeError("nothing says hints");
  const { address, namespace } = vaultOf(context);
  const { port, key, secrets } = job;
  const members = {
    ...{ port, key, tls: health?.tls !== undefined },
    vault: { address, ...present({ namespace }) },
    secrets: secrets.map(({ path, version }) => ({ path, version })),
  };
  const question = {
    ...{ path: HINT_SUBSCRIPTION_PATH, members },
    ...({ code: "HINTS_UNANSWERED", purpose: "for hints" } as const),
  };
  const answer = await askOperator(rotation.permits, question, subscriptionIn);
  context.say({ kind: "subscribed", answer });
}

function subscriptionIn(answer: OperatorAnswer): HintSubscriptionAnswer | undefined {
  const { decision, reason } = answer;
  const renewAfterMs = pauseIn(answer["renewAfterMs"], RENEWALS);
  if (decision === "subscribed" && renewAfterMs !== undefined) return { decision, renewAfterMs };
  const retryAfterMs = pauseIn(answer["retryAfterMs"], RETRIES);
  if (decision !== "refused" || retryAfterMs === undefined) return undefined;
  return { decision, reason: reasonIn(reason), retryAfterMs };
}
