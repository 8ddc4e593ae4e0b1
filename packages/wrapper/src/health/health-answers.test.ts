import { describe, expect, test } from "bun:test";
import type { RequestHead } from "../http/http-service.ts";
import type { CheckView } from "./check-page.ts";
import { answerHealth } from "./health-answers.ts";
import type { TakenHint } from "./hint-page.ts";
import type { Readiness } from "./readiness.ts";

const ready: Readiness = { status: "ready", rotations: 2, applicationRestarts: 3 };
const unready = (["sealed", "starting", "stale", "restarting", "stopped"] as const).map(
  (status): Readiness => ({ status, reason: "why" }),
);

const methodsOf: Readonly<Record<string, string>> = {
  "/v1/unseal": "POST",
  "/v1/check": "GET, HEAD, POST",
  "/v1/hints": "POST",
};

describe("answerHealth", () => {
  const rows: readonly (readonly [
    name: string,
    method: string,
    path: string,
    readiness: Readiness,
    status: number,
    body: unknown,
  ])[] = [
    ["is healthy when ready", "GET", "/healthz", ready, 200, { status: "ok" }],
    ["says that it is ready, with counts", "GET", "/readyz", ready, 200, ready],
    ["answers HEAD with the same", "HEAD", "/readyz", ready, 200, ready],
    ...unready.map(
      (readiness) =>
        [
          `is healthy while ${readiness.status}`,
          "GET",
          "/healthz",
          readiness,
          200,
          { status: "ok" },
        ] as const,
    ),
    ...unready.map(
      (readiness) =>
        [
          `is not ready while ${readiness.status}`,
          "GET",
          "/readyz",
          readiness,
          503,
          readiness,
        ] as const,
    ),
    ["refuses POST", "POST", "/healthz", ready, 405, refusal("METHOD_NOT_ALLOWED")],
    ["refuses DELETE", "DELETE", "/readyz", ready, 405, refusal("METHOD_NOT_ALLOWED")],
    [
      "refuses to show the unseal endpoint",
      "GET",
      "/v1/unseal",
      ready,
      405,
      refusal("METHOD_NOT_ALLOWED"),
    ],
    ["refuses to delete a check", "DELETE", "/v1/check", ready, 405, refusal("METHOD_NOT_ALLOWED")],
    [
      "checks nothing while sealed",
      "POST",
      "/v1/check",
      { status: "sealed", reason: "no token was given" },
      200,
      { state: "waiting", reason: "no token was given" },
    ],
    ["does not know the root", "GET", "/", ready, 404, refusal("NOT_FOUND")],
    ["does not know a path below", "GET", "/healthz/x", ready, 404, refusal("NOT_FOUND")],
    [
      "does not know a property of every object",
      "GET",
      "constructor",
      ready,
      404,
      refusal("NOT_FOUND"),
    ],
    [
      "says not found before it looks at the method",
      "POST",
      "/x",
      ready,
      404,
      refusal("NOT_FOUND"),
    ],
  ];
  for (const [name, method, path, readiness, status, body] of rows) {
    test(name, () => {
      const answer = answerHealth(head(method, path), view(readiness));
      expect([answer?.status, answer?.contentType]).toEqual([status, "application/json"]);
      expect(JSON.parse(answer?.body ?? "")).toEqual(body);
      const allowed = methodsOf[path] ?? "GET, HEAD";
      expect(answer?.headers?.["allow"]).toBe(status === 405 ? allowed : undefined);
    });
  }

  test("gives the metrics as Prometheus wants them", () => {
    expect(answerHealth(head("GET", "/metrics"), view(ready))).toEqual({
      status: 200,
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      body: "svc_wrapper_ready 1\n",
    });
  });

  test("begins a check for POST alone, and sends away those that ask too often", () => {
    const asked: string[] = [];
    const answers = [undefined, { retryAfterMs: 12_300 }];
    const check: CheckView = {
      checkState: () => ({ state: "current", readiness: ready }),
      askForCheck: () => {
        asked.push("check");
        return answers.shift();
      },
    };
    const ask = (method: string) =>
      answerHealth(head(method, "/v1/check"), { ...view(ready), check });
    expect(ask("GET")).toMatchObject({
      status: 200,
      body: expect.stringContaining('{"state":"current"'),
    });
    expect(ask("HEAD")?.status).toBe(200);
    expect(asked).toEqual([]);
    expect(ask("POST")?.status).toBe(202);
    const refused = ask("POST");
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "13" } });
    expect(JSON.parse(refused?.body ?? "")).toEqual(refusal("TOO_MANY_CHECKS"));
    expect(asked).toHaveLength(2);
  });

  test("a wrapper that never checks is asked for none", () => {
    const check: CheckView = {
      checkState: () => ({ state: "unchecked", reason: "SVC_ROTATION=none", readiness: ready }),
      askForCheck: () => {
        throw new TypeError("asked");
      },
    };
    const answer = answerHealth(head("POST", "/v1/check"), { ...view(ready), check });
    expect(answer?.status).toBe(200);
  });

  describe("answers a hint", () => {
    const rows: readonly (readonly [string, TakenHint | undefined, number, string])[] = [
      ["that was taken", { kind: "taken" }, 200, "taken"],
      ["that it does not know", { kind: "unknown" }, 403, "UNKNOWN_HINT"],
      ["that is one too many", { kind: "too many", retryAfterMs: 9001 }, 429, "10 s"],
      ["without a subscription", undefined, 403, "UNKNOWN_HINT"],
    ];
    test.each(rows)("%s", (_, taken, status, text) => {
      const seen: string[] = [];
      const takeHint = (value: string) => {
        seen.push(value);
        return taken as TakenHint;
      };
      const asked = { ...head("POST", "/v1/hints"), headers: new Map([["svc-hint", "1 2"]]) };
      const answer = answerHealth(asked, { ...view(ready), ...(taken && { takeHint }) });
      expect(answer?.status).toBe(status);
      expect(answer?.body).toContain(text);
      expect(answer?.headers?.["retry-after"]).toBe(status === 429 ? "10" : undefined);
      expect(seen).toEqual(taken === undefined ? [] : ["1 2"]);
    });
  });

  test("leaves a token's delivery to others", () => {
    expect(answerHealth(head("POST", "/v1/unseal"), view(ready))).toBeUndefined();
  });

  test("repeats only the beginning of a long path", () => {
    const answer = answerHealth(head("GET", `/${"x".repeat(5000)}`), view(ready));
    expect(answer?.body.length).toBeLessThan(300);
  });
});

function head(method: string, path: string): RequestHead {
  return { method, path, headers: new Map(), bodyLength: 0 };
}

function view(readiness: Readiness) {
  return { readiness: () => readiness, metrics: () => "svc_wrapper_ready 1\n" };
}

function refusal(code: string) {
  return { error: { code, message: expect.any(String), hint: expect.any(String) } };
}
