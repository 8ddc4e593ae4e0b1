import { SyscallError } from "@svc/kernel";
import { PERMIT_PATH, type PermitAnswer } from "@svc/protocol";
import { readSecretFile } from "@svc/secret-bytes";
import {
  isJsonObject,
  type JsonAnswer,
  type OpenedJson,
  postJson,
  Secret,
  TransportError,
  VaultError,
} from "@svc/vault";
import { failure, WrapperError } from "../errors.ts";
import type { PermitJob } from "../messages/courier-job.ts";
import type { PermitSettings } from "../settings/wrapper-settings.ts";
import type { CourierContext } from "./courier-context.ts";

const MAX_TOKEN_BYTES = 16 * 1024;
const MAX_ANSWER_BYTES = 4096;
const TIMEOUT_MS = 10_000;
/** The operator says less; a wrapper that is told to wait for ever would never rotate. */
const LONGEST_RETRY_MS = 60_000;
const LEAST_RETRY_MS = 250;

/**
 * Asks the operator for a permit, or tells it that the rotation is over.
 *
 * @throws WrapperError `PERMIT_UNANSWERED` if it gives no answer that can be used
 */
export async function askPermit(context: CourierContext, job: PermitJob): Promise<void> {
  const { by, permits } = context.jobMessage.settings.rotation;
  if (permits === undefined) throw new TypeError("nothing gives permits");
  const { say, expiresInMs } = job;
  const token = readToken(permits);
  const expiresInSeconds = expiresInMs === undefined ? undefined : Math.round(expiresInMs / 1000);
  const members = { token, say, by, expiresInSeconds };
  const answer = await post(permits, members);
  context.say({ kind: "permit", answer: readAnswer(permits, answer) });
}

async function post(
  { address, caPem }: PermitSettings,
  members: Parameters<typeof postJson>[0]["members"],
): Promise<JsonAnswer> {
  try {
    return await postJson({
      url: `${address}${PERMIT_PATH}`,
      members,
      tls: { skipVerify: false, ca: [caPem] },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const why = error.detail === undefined ? error.fault : `${error.fault}: ${error.detail}`;
    throw unanswered(address, why);
  }
}

/** Parsed at the door: the operator may be of another version. */
function readAnswer({ address }: PermitSettings, { status, body }: JsonAnswer): PermitAnswer {
  const told = isJsonObject(body) ? body : {};
  if (status !== 200) throw unanswered(address, `HTTP ${status}${messageIn(told["error"])}`);
  const { decision, reason, retryAfterMs } = told;
  if (decision === "go") return { decision };
  if (decision !== "wait" || typeof retryAfterMs !== "number") {
    throw unanswered(address, "the answer is not one about a permit");
  }
  const pauseMs = Math.min(LONGEST_RETRY_MS, Math.max(LEAST_RETRY_MS, retryAfterMs));
  return { decision, reason: textOf(reason), retryAfterMs: pauseMs };
}

function messageIn(error: OpenedJson | undefined): string {
  return isJsonObject(error) ? `: ${textOf(error["message"])}` : "";
}

/** One line, in bounds: it goes to the log. */
function textOf(value: OpenedJson | undefined): string {
  const text = typeof value === "string" ? value : "the operator gives no reason";
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}

function readToken({ tokenPath }: PermitSettings): Secret {
  const variable = `SVC_PERMITS_TOKEN_FILE ${JSON.stringify(tokenPath)}`;
  try {
    return new Secret(readSecretFile(tokenPath, MAX_TOKEN_BYTES));
  } catch (error) {
    const isKnown = error instanceof SyscallError || error instanceof VaultError;
    if (!isKnown) throw error;
    throw new WrapperError([failure("TOKEN_UNREADABLE", `read ${variable}: ${error.message}`)]);
  }
}

function unanswered(address: string, why: string): WrapperError {
  const message = `ask the operator at ${address} for a permit: ${why}`;
  return new WrapperError([failure("PERMIT_UNANSWERED", message)]);
}
