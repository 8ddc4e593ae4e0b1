import type {
  HttpRequest,
  HttpResponse,
  Transport,
  TransportError,
} from "../src/http/transport.ts";
import { closed } from "./closed.ts";

/** A test's own transport, with its requests. */
export interface FakeTransport {
  readonly transport: Transport;
  readonly sent: readonly HttpRequest[];
}

/** Answers each request by a function: with a response, or by throwing. */
export function fakeTransport(answer: (request: HttpRequest) => HttpResponse): FakeTransport {
  const sent: HttpRequest[] = [];
  const transport: Transport = async (request) => {
    sent.push(request);
    return answer(request);
  };
  return { transport, sent };
}

/** A transport that never gets an answer. */
export function failingTransport(error: TransportError): FakeTransport {
  return fakeTransport(() => {
    throw error;
  });
}

/** A whole answer. */
export function response(
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, header: (name) => headers[name], body: closed(body) };
}
