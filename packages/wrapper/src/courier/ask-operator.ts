import { SyscallError } from "@svc/kernel";
import { readSecretFile } from "@svc/secret-bytes";
import {
  isJsonObject,
  type JsonPost,
  type OpenedJson,
  postJson,
  Secret,
  TransportError,
  VaultError,
} from "@svc/vault";
import { failure, WrapperError } from "../errors.ts";
import type { PermitSettings } from "../settings/wrapper-settings.ts";

const MAX_TOKEN_BYTES = 16 * 1024;
const MAX_ANSWER_BYTES = 4096;
const TIMEOUT_MS = 10_000;

/** A question to the operator. */
export interface OperatorQuestion {
  readonly path: string;
  /** Without the token, which proves the pod. */
  readonly members: JsonPost["members"];
  /** The code of the error if no answer comes. */
  readonly code: "PERMIT_UNANSWERED" | "HINTS_UNANSWERED";
  /** Behind `ask the operator at ADDRESS`. */
  readonly purpose: string;
}

/** The members of an answer; none if it is not a JSON object. */
export type OperatorAnswer = Readonly<Record<string, OpenedJson>>;

/**
 * Asks the operator, and reads its answer with `parse`, which gives undefined for one that it does
 * not know: the operator may be of another version.
 *
 * @throws WrapperError of the question's code, or `TOKEN_UNREADABLE`
 */
export async function askOperator<Answer>(
  permits: PermitSettings,
  { path, members, code, purpose }: OperatorQuestion,
  parse: (answer: OperatorAnswer) => Answer | undefined,
): Promise<Answer> {
  const { address, caPem } = permits;
  const unanswered = (why: string) =>
    new WrapperError([failure(code, `ask the operator at ${address} ${purpose}: ${why}`)]);
  const { status, body } = await postJson({
    url: `${address}${path}`,
    members: { token: readToken(permits), ...members },
    tls: { skipVerify: false, ca: [caPem] },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  }).catch((error) => {
    if (!(error instanceof TransportError)) throw error;
    throw unanswered(error.detail === undefined ? error.fault : `${error.fault}: ${error.detail}`);
  });
  const told = isJsonObject(body) ? body : {};
  if (status !== 200) throw unanswered(`HTTP ${status}${messageIn(told["error"])}`);
  const answer = parse(told);
  if (answer === undefined) throw unanswered("the answer is not one that the wrapper knows");
  return answer;
}

/** A pause that the operator has asked for, within bounds; undefined if it is not a number. */
export function pauseIn(
  value: OpenedJson | undefined,
  { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number },
): number | undefined {
  if (typeof value !== "number" || Number.isNaN(value)) return undefined;
  return Math.min(mostMs, Math.max(leastMs, value));
}

/** One line, in bounds: it goes to the log. */
export function reasonIn(value: OpenedJson | undefined): string {
  const text = typeof value === "string" ? value : "the operator gives no reason";
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}

function messageIn(error: OpenedJson | undefined): string {
  return isJsonObject(error) ? `: ${reasonIn(error["message"])}` : "";
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
