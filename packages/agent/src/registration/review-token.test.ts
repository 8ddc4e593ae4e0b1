import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { canary, refusal, waitFor } from "@svc/testing";
import { servedApi } from "../testdata/served-api.ts";
import { tokenReviewer } from "./review-token.ts";

const served = await servedApi();
const { server, api } = served;
const token = canary();
let answer: () => Response | Promise<Response>;
beforeEach(() => {
  server.requests.length = 0;
  server.intercept = () => answer();
});
afterAll(() => served[Symbol.asyncDispose]());

const podClaim = "authentication.kubernetes.io/pod-uid";
const reviewed = (status: object) => () => Response.json({ kind: "TokenReview", status });
const user = { username: "system:serviceaccount:shop:web", extra: { [podClaim]: ["u-1"] } };
const good = reviewed({ authenticated: true, audiences: ["svc-agent"], user });

describe("a wrapper's token", () => {
  test("proves the pod that it is bound to, for this audience", async () => {
    answer = good;
    expect(await tokenReviewer(api, "svc-agent")(token)).toBe("u-1");
    const [request] = server.requests;
    expect(request).toMatchObject({
      ...{ method: "POST", path: "/apis/authentication.k8s.io/v1/tokenreviews" },
      body: { spec: { token, audiences: ["svc-agent"] } },
    });
  });

  const rows: readonly (readonly [string, () => Response, string])[] = [
    ["that the API server does not know", reviewed({ authenticated: false }), "does not know it"],
    [
      "for another audience",
      reviewed({ authenticated: true, audiences: ["vault"], user }),
      'it is not made for the audience "svc-agent"',
    ],
    [
      "that a server without audiences has reviewed",
      reviewed({ authenticated: true, user }),
      "it is not made for the audience",
    ],
    [
      "that is bound to no pod",
      reviewed({ authenticated: true, audiences: ["svc-agent"], user: { extra: {} } }),
      "it is not bound to a pod",
    ],
    [
      "that is bound to an empty name",
      reviewed({
        authenticated: true,
        audiences: ["svc-agent"],
        user: { extra: { [podClaim]: [""] } },
      }),
      "it is not bound to a pod",
    ],
    ["with an empty answer", () => Response.json(null), "does not know it"],
    [
      "that the agent may not have reviewed",
      () => refusal(403, "Forbidden", `${token} quoted`),
      "status 403",
    ],
  ];
  for (const [name, given, message] of rows) {
    test(`${name} proves nothing, and is not in the error`, async () => {
      answer = given;
      const error = await tokenReviewer(api, "svc-agent")(token).catch((it: unknown) => it);
      expect(error).toMatchObject({
        code: "REGISTRATION_UNPROVEN",
        message: expect.stringContaining(message),
      });
      expect(Bun.inspect(error)).not.toContain(token);
    });
  }

  test("that is longer than any is not sent", async () => {
    const long = "x".repeat(16 * 1024 + 1);
    expect(tokenReviewer(api, "a")(long)).rejects.toMatchObject({
      message: expect.stringContaining("the token is too long"),
    });
    expect(server.requests).toEqual([]);
  });
});

test("a flood of tokens reaches the API server eight at a time, and has an end", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let [now, most] = [0, 0];
  answer = async () => {
    now += 1;
    most = Math.max(most, now);
    await promise;
    now -= 1;
    return good();
  };
  const review = tokenReviewer(api, "svc-agent");
  const all = Array.from({ length: 8 + 64 + 2 }, () => review(token).catch((it: unknown) => it));
  const refused = await Promise.all(all.slice(-2));
  for (const error of refused)
    expect(String(error)).toContain("too many tokens are being reviewed");
  await waitFor(() => now === 8, { deadlineMs: 20_000, what: "eight reviews" });
  resolve();
  expect(new Set(await Promise.all(all.slice(0, -2)))).toEqual(new Set(["u-1"]));
  expect(most).toBe(8);
  expect(await review(token)).toBe("u-1");
});
