import { expect, test } from "bun:test";
import { closed } from "../../test/closed.ts";
import { connectionFailure } from "./connection-failure.ts";
import { type HttpFault, type HttpRequest, type Transport, TransportError } from "./transport.ts";

/** A server of the other scheme: the tests of the transports talk to real ones. */
const answers: Transport = async () => ({ status: 200, header: () => undefined, body: closed("") });

const rows: readonly (readonly [scheme: string, fault: HttpFault, told: string])[] = [
  ["http", "closed", "the server speaks TLS on this port"],
  // rustls sends an alert first.
  ["http", "not HTTP", "the server speaks TLS on this port"],
  ["https", "handshake", "the server speaks plain HTTP on this port"],
  ["https", "not HTTP", "the answer is not HTTP"],
];
for (const [scheme, fault, told] of rows) {
  test(`${scheme} that ends as "${fault}": ${told}`, async () => {
    const sent: HttpRequest = {
      method: "GET",
      url: `${scheme}://vault.test:8200/v1/x`,
      headers: [],
      tls: { skipVerify: false },
      maxBytes: 1,
      ownConnection: false,
      signal: new AbortController().signal,
    };
    const error = new TransportError(fault);
    const subject = { operation: "read", path: "x" };
    const failure = await connectionFailure({ subject, sent, error, transport: answers });
    expect(failure.message).toContain(told);
  });
}
