import { PERMIT_PATH, type PermitAnswer } from "@svc/protocol";
import type { PermitJob } from "../messages/courier-job.ts";
import { askOperator, type OperatorAnswer, pauseIn, reasonIn } from "./ask-operator.ts";
import type { CourierContext } from "./courier-context.ts";

/** The operator says less; a wrapper that is told to wait for ever would never rotate. */
const PAUSES = { leastMs: 250, mostMs: 60_000 };

/**
 * Asks the operator for a permit, or tells it that the rotation is over.
 *
 * @throws WrapperError `PERMIT_UNANSWERED` if it gives no answer that can be used
 */
export async function askPermit(context: CourierContext, job: PermitJob): Promise<void> {
  const { by, permits } = context.jobMessage.settings.rotation;
  if (permits === undefined) throw new TypeError("nothing gives permits");
  const { say, expiresInMs } = job;
  const expiresInSeconds = expiresInMs === undefined ? undefined : Math.round(expiresInMs / 1000);
  const question = {
    ...{ path: PERMIT_PATH, members: { say, by, expiresInSeconds } },
    ...({ code: "PERMIT_UNANSWERED", purpose: "for a permit" } as const),
  };
  const answer = await askOperator(permits, question, permitIn);
  context.say({ kind: "permit", answer });
}

function permitIn({ decision, reason, retryAfterMs }: OperatorAnswer): PermitAnswer | undefined {
  if (decision === "go") return { decision };
  const pauseMs = pauseIn(retryAfterMs, PAUSES);
  if (decision !== "wait" || pauseMs === undefined) return undefined;
  return { decision, reason: reasonIn(reason), retryAfterMs: pauseMs };
}
