import { describe, expect, test } from "bun:test";
import { pushFailure } from "./push-failure.ts";

describe("a push that fails is one line and a hint for", () => {
  const cases: Readonly<Record<string, readonly [complaint: string, hint: RegExp]>> = {
    "wrong credentials": [
      "2026/11/22 19:00:00 pushed blob\nError: PUT https://r.test/v2/: UNAUTHORIZED: no\n",
      /hint: log in first/,
    ],
    "a registry without TLS": [
      'Error: Get "https://r.test/v2/": http: server gave HTTP response to HTTPS client',
      /PLAIN_HTTP=true/,
    ],
    "a registry that is not there": [
      'Error: Get "https://r.test/v2/": dial tcp: lookup r.test: no such host',
      /hint: is REGISTRY right/,
    ],
    "an unknown certificate": ["Error: tls: x509: unknown authority", /SSL_CERT_FILE/],
    "a name in capitals": ["Error: could not parse reference: R.TEST/Svc:1", /in lower case/],
  };
  test.each(Object.entries(cases))("%s", (_name, [complaint, hint]) => {
    const text = pushFailure("r.test/svc:1", complaint);
    expect(text).toStartWith("push r.test/svc:1: ");
    expect(text).toMatch(hint);
    expect(text.split("\n")).toHaveLength(2);
  });

  test("anything else, which has no hint", () => {
    expect(pushFailure("r.test/svc:1", "Error: EOF\n")).toBe("push r.test/svc:1: EOF");
  });
});
