import { describe, expect, test } from "bun:test";
import { podIdentifier } from "./identify-pod.ts";

const status = {
  authenticated: true,
  audiences: ["svc-rotation-permits"],
  user: {
    username: "system:serviceaccount:shop:default",
    extra: {
      "authentication.kubernetes.io/pod-name": ["web-0"],
      "authentication.kubernetes.io/pod-uid": ["u1"],
    },
  },
};

/** An API server that answers each review with this status. */
function answering(answer: object) {
  const asked: unknown[] = [];
  const ask = async ({ body }: { readonly body?: unknown }) => {
    asked.push(body);
    return { status: answer };
  };
  return { identify: podIdentifier({ ask }), asked };
}

describe("the pod of a token", () => {
  test("is the one that the API server names, which is asked once", async () => {
    const { identify, asked } = answering(status);
    const pod = { namespace: "shop", name: "web-0", uid: "u1" };
    expect([await identify("t"), await identify("t")]).toEqual([pod, pod]);
    expect(asked).toEqual([
      expect.objectContaining({ spec: { token: "t", audiences: ["svc-rotation-permits"] } }),
    ]);
  });

  test.each([
    ["one that is not known", { ...status, authenticated: false }, "does not know"],
    ["one for another audience", { ...status, audiences: ["vault"] }, "not for the audience"],
    ["one of a server that knows no audiences", { ...status, audiences: undefined }, "audience"],
    ["one of a person", { ...status, user: { username: "admin" } }, "not bound to a pod"],
    [
      "one of an account without a pod",
      { ...status, user: { ...status.user, extra: {} } },
      "not bound to a pod",
    ],
  ])("is unproven for %s", async (_, answer, why) => {
    const { identify } = answering(answer);
    expect(await identify("t")).toContain(why);
  });

  test("is not asked for if the token is longer than any", async () => {
    const { identify, asked } = answering(status);
    expect(await identify("x".repeat(20_000))).toContain("too long");
    expect(asked).toEqual([]);
  });

  test("has to wait while many tokens are reviewed, and then is not known", async () => {
    const never = Promise.withResolvers<unknown>();
    const identify = podIdentifier({ ask: () => never.promise });
    const waiting = Array.from({ length: 72 }, (_, index) => identify(`t${index}`));
    expect(await identify("one more")).toBeUndefined();
    never.resolve({ status });
    const all = await Promise.all(waiting);
    expect(all.every((pod) => typeof pod === "object")).toBe(true);
  });
});
