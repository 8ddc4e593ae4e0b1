import { accepted, type HostPort, type Parsed, refused } from "@svc/settings";
import { parseHealthAddress } from "../settings/server-variables.ts";

/** The variables with the address at which the wrapper of this container answers. */
export type QuestionVariable = "HEALTH_ADDR" | "SVC_BROKER_TLS_CERT" | "SVC_BROKER_TLS_KEY";

const variables: readonly string[] = [
  "HEALTH_ADDR",
  "SVC_BROKER_TLS_CERT",
  "SVC_BROKER_TLS_KEY",
] satisfies readonly QuestionVariable[];

/** True for the name of one of them. */
export function isQuestionVariable(name: string): name is QuestionVariable {
  return variables.includes(name);
}

/** The values of the variables; an empty text counts as not set. */
export type QuestionTexts = ReadonlyMap<QuestionVariable, string>;

/** Where the wrapper is asked whether its program runs. */
export interface ReadyQuestion extends HostPort {
  readonly isTls: boolean;
}

/** As in the wrapper's own table, which takes time to load; a test compares them. */
export const DEFAULT_ADDRESS = ":8199";

const wanted = "the address of the wrapper's health server, with a port";

/** Reads the address at which the wrapper listens, as the address at which it is reached. */
export function readyQuestion(texts: QuestionTexts): Parsed<ReadyQuestion> {
  const address = parseHealthAddress(texts.get("HEALTH_ADDR") || DEFAULT_ADDRESS);
  if (!address.ok) return address;
  if (address.value === "off") return refused(wanted, { found: "it is off" });
  const { host, port } = address.value;
  if (port === 0) return refused(wanted, { found: "port 0, which only the log tells" });
  const isTls = [texts.get("SVC_BROKER_TLS_CERT"), texts.get("SVC_BROKER_TLS_KEY")].every(Boolean);
  return accepted({ host: reachable(host), port, isTls });
}

/** Nothing connects to "every address". */
function reachable(host: string): string {
  if (host === "" || host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

/** The question as people write it. */
export function questionText({ host, port, isTls }: ReadyQuestion, path = "/readyz"): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `GET ${isTls ? "https" : "http"}://${name}:${port}${path}`;
}
