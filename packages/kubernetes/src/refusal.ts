import type { KubernetesErrorCode } from "./error-catalogue.ts";
import { KubernetesError } from "./kubernetes-error.ts";

/** An answer with a status other than 2xx. */
export interface Refusal {
  readonly status: number;
  /** The reason of the Status in the body, for example `AlreadyExists`; empty if there is none. */
  readonly reason: string;
  readonly message: string;
}

/** The request, for messages. */
export interface Asked {
  /** For example `read secret "keys" in namespace "vault"`. */
  readonly operation: string;
  /** True if a secret was in the request: an admission webhook may quote it. */
  readonly carriesSecret?: boolean;
}

/** More of a server's text than this is useless and fills a log line. */
const MAX_TEXT = 300;

/** The content of an answer; its body as text, or parsed. */
export function readRefusal(status: number, body: unknown): Refusal {
  const parsed = typeof body === "string" ? parsedOf(body) : body;
  return { status, reason: textOf(parsed, "reason"), message: textOf(parsed, "message") };
}

/** The error for an answer. */
export function errorOf(
  { status, reason, message }: Refusal,
  { operation, carriesSecret = false }: Asked,
): KubernetesError {
  const said = carriesSecret || message === "" ? "" : `: ${cleaned(message)}`;
  const found = `status ${status}${reason === "" ? "" : ` ${cleaned(reason)}`}${said}`;
  return new KubernetesError(codeOf(status), `${operation}: ${found}`, { status, reason });
}

function codeOf(status: number): KubernetesErrorCode {
  if (status === 401 || status === 403) return "KUBERNETES_DENIED";
  if (status === 429 || status >= 500) return "KUBERNETES_UNREACHABLE";
  return "KUBERNETES_REFUSED";
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
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
