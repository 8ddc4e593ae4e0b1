import { type HttpFault, sendHttp } from "svc:engine";
import type { PlainAnswer, PlainQuestion } from "../runtime.ts";

/** Asks by the host's client. */
export async function ask(question: PlainQuestion): Promise<PlainAnswer> {
  const exchange = sendHttp({
    method: "GET",
    url: urlOf(question),
    headers: question.headers ?? [],
    tls: { skipVerify: true },
    maxBytes: question.mostBytes,
    ownConnection: true,
  });
  const { timeoutMs } = question;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => exchange.abort(), timeoutMs);
  try {
    const { status, body } = await exchange.response;
    // The server was sent nothing secret, and its answer holds nothing that is.
    return { kind: "answer", status, body: body.open([]) ?? "" };
  } catch (error) {
    if (!isHostFault(error)) throw error;
    return { kind: "none", why: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

function urlOf({ host, port, isTls, path }: PlainQuestion): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${isTls ? "https" : "http"}://${name}:${port}${path}`;
}

/** The host's rejection of a request. */
interface HostFault extends Error {
  readonly fault: HttpFault;
  readonly answered: boolean;
}

function isHostFault(error: unknown): error is HostFault {
  return error instanceof Error && "fault" in error && "answered" in error;
}

/** The reason in the words of the log: an errno if there is one. */
function reasonOf({ fault, answered }: HostFault): string {
  switch (fault) {
    case "refused":
      return "ECONNREFUSED";
    case "aborted":
      return "no answer in time";
    case "closed":
      return answered ? "closed within the answer" : "closed without an answer";
    case "not HTTP":
    case "headers too large":
      return "the answer is not HTTP";
    case "body too large":
      return "the answer is too long";
    default:
      return fault;
  }
}
