import type { SecretBytes } from "@svc/secret-bytes";
import {
  type BodyPart,
  type HttpRequest,
  type Transport,
  TransportError,
} from "../http/transport.ts";
import { certificateNames } from "./certificate-names.ts";
import { directFetch } from "./direct-fetch.ts";
import { faultOf } from "./fault-of.ts";
import { fetchTls } from "./fetch-tls.ts";
import { readBody } from "./read-body.ts";

/** Requests by Bun's fetch, which keeps connections alive between them. */
export const transport: Transport = async (request) => {
  const response = await answerOf(request);
  try {
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body: await readBody(response, request.maxBytes),
    };
  } catch (error) {
    throw error instanceof TransportError ? error : failed(request, error, true);
  }
};

async function answerOf(request: HttpRequest): Promise<Response> {
  try {
    return await directFetch(request.url, requestInit(request));
  } catch (error) {
    const failure = failed(request, error, false);
    if (failure.fault !== "wrong name") throw failure;
    // Fetch does not say which names there are.
    const names = await certificateNames(request.url, request.tls);
    throw new TransportError(failure.fault, { names, cause: error });
  }
}

function failed(request: HttpRequest, error: unknown, answered: boolean): TransportError {
  if (request.signal.aborted) return new TransportError("aborted", { answered, cause: error });
  const { tls, url } = request;
  const givesMaterial =
    url.startsWith("https:") && (tls.ca !== undefined || tls.cert !== undefined);
  const { fault, detail } = faultOf(error, givesMaterial);
  return new TransportError(fault, { answered, detail, cause: error });
}

function requestInit(request: HttpRequest): BunFetchRequestInit {
  const { method, url, headers, body, tls, ownConnection, signal } = request;
  return {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, textOf(value)]),
    ...(body && { body: body.map(bodyText).join("") }),
    ...(url.startsWith("https:") && { tls: fetchTls(tls) }),
    redirect: "manual",
    decompress: false,
    ...(ownConnection && { keepalive: false }),
    signal,
  };
}

function bodyText(part: BodyPart): string {
  return typeof part === "string" ? part : JSON.stringify(textOf(part)).slice(1, -1);
}

/** @throws TypeError for a secret that is not UTF-8, which the callers have refused before. */
function textOf(value: string | SecretBytes): string {
  const text = typeof value === "string" ? value : value.open([]);
  if (text === undefined) throw new TypeError("a secret that is sent must be UTF-8");
  return text;
}
