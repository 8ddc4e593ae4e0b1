import { BootstrapError } from "../bootstrap-error.ts";
import type { BootstrapErrorCode } from "../error-catalogue.ts";

/** What the client throws for a status other than 2xx. Its own message has the whole answer in it. */
interface Refusal {
  readonly status: number;
  /** Of the Status in the body, for example `AlreadyExists`; empty where there is none. */
  readonly reason: string;
  readonly message: string;
}

/** What was asked, for messages. */
export interface Asked {
  /** For example `read secret "keys" in namespace "vault"`. */
  readonly operation: string;
  /** True where a secret was in the request: somebody's admission webhook may quote it. */
  readonly carriesSecret?: boolean;
}

/** More of a server's text than this helps nobody and fills a log line. */
const MAX_TEXT = 300;

/** The status and the reason of a refusal; undefined for every other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("body" in error)) return undefined;
  if (typeof error.code !== "number") return undefined;
  const body = statusOf(error.body);
  return { status: error.code, reason: textOf(body, "reason"), message: textOf(body, "message") };
}

/** Our error for one of the client's, which is neither kept nor quoted. */
export function kubernetesFailure(error: unknown, asked: Asked): BootstrapError {
  if (error instanceof BootstrapError) {
    return new BootstrapError(error.code, `${asked.operation}: ${error.message}`);
  }
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    const message = `${asked.operation}: the answer cannot be read`;
    return new BootstrapError("KUBERNETES_UNREACHABLE", message);
  }
  const { status, reason, message } = refusal;
  const said = asked.carriesSecret === true || message === "" ? "" : `: ${cleaned(message)}`;
  const found = `status ${status}${reason === "" ? "" : ` ${cleaned(reason)}`}${said}`;
  return new BootstrapError(codeOf(status), `${asked.operation}: ${found}`);
}

function codeOf(status: number): BootstrapErrorCode {
  if (status === 401 || status === 403) return "KUBERNETES_DENIED";
  if (status === 429 || status >= 500) return "KUBERNETES_UNREACHABLE";
  return "KUBERNETES_REFUSED";
}

/** The client gives the body of some statuses parsed, of others as text. */
function statusOf(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function textOf(body: unknown, name: "reason" | "message"): string {
  if (typeof body !== "object" || body === null) return "";
  const text: unknown = Reflect.get(body, name);
  return typeof text === "string" ? text : "";
}

function cleaned(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ").trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
