import { describe, expect, test } from "bun:test";
import { hintDesk } from "./hint-desk.ts";
import { hintedPods } from "./hinted-pod.ts";
import type { Subscription } from "./subscription.ts";
import { SubscriptionBook } from "./subscription-book.ts";
import { keyOf } from "./testdata/hub-stage.ts";

const vault = { address: "https://vault.test:8200", namespace: "team" };
const proven = { namespace: "shop", name: "web-0", uid: "u" };
const wanted = {
  ...{ vault, port: 8199, tls: false, key: keyOf("u") },
  secrets: [{ path: "secret/data/a", version: 1 }],
};
const pod = { metadata: { uid: "u" }, spec: {}, status: { podIP: "192.0.2.7" } };

function stage(object: unknown = pod, random = 0.5) {
  const subscribed: Subscription[] = [];
  const book = new SubscriptionBook(() => undefined);
  const asked: string[] = [];
  const find = hintedPods({
    ask: async ({ path }) => {
      asked.push(path);
      return object as never;
    },
  });
  const hub = { subscribed: (it: Subscription) => subscribed.push(it) };
  const clock = { nowMs: 0 };
  const nowMs = () => clock.nowMs;
  const desk = hintDesk({ vault, find, book, hub, nowMs, random: () => random });
  return { desk, book, asked, subscribed, clock };
}

test("a proven pod gets hints at the address that the API server knows", async () => {
  const { desk, book, asked, subscribed } = stage();
  const answer = await desk(proven, wanted);
  expect(answer).toEqual({ decision: "subscribed", renewAfterMs: 600_000 });
  expect(asked).toEqual(["/api/v1/namespaces/shop/pods/web-0"]);
  expect(subscribed).toHaveLength(1);
  expect(book.at(0)).toMatchObject({ uid: "u", address: "192.0.2.7", port: 8199, tls: false });
});

test.each([
  ["a slash at the end", { address: "https://vault.test:8200/", namespace: "team" }],
  ["capitals, and slashes around", { address: "HTTPS://Vault.test:8200", namespace: "/team/" }],
])("the same vault may be written with %s", async (_, place) => {
  expect(await stage().desk(proven, { ...wanted, vault: place })).toMatchObject({
    decision: "subscribed",
  });
});

test.each([
  ["another host", { address: "https://other.test:8200", namespace: "team" }],
  ["another port", { address: "https://vault.test:8201", namespace: "team" }],
  ["no namespace", { address: "https://vault.test:8200" }],
])("another vault is refused, and both are named: %s", async (_, place) => {
  const { desk, book, asked } = stage();
  const answer = await desk(proven, { ...wanted, vault: place });
  expect(answer.decision).toBe("refused");
  expect(Object(answer).reason).toContain(`the wrapper reads from ${place.address}`);
  expect(Object(answer).reason).toEndWith("looks at https://vault.test:8200 (namespace team)");
  expect([book.size, asked]).toEqual([0, []]);
});

test("an address that may hold a password is not repeated", async () => {
  const place = { address: "https://user:pass@vault.test:8200" };
  const answer = await stage().desk(proven, { ...wanted, vault: place });
  expect(answer).toMatchObject({ decision: "refused" });
  expect(JSON.stringify(answer)).not.toContain("pass@");
});

test.each([
  ["that is gone", undefined, "the pod is over"],
  ["of another UID", { ...pod, metadata: { uid: "v" } }, "the pod is over"],
  [
    "that ends",
    { ...pod, metadata: { uid: "u", deletionTimestamp: "2026-01-01T00:00:00Z" } },
    "the pod is over",
  ],
  ["that has ended", { ...pod, status: { ...pod.status, phase: "Failed" } }, "the pod is over"],
  [
    "in the node's network",
    { ...pod, spec: { hostNetwork: true } },
    "the pod is in the network of its node",
  ],
  [
    "without an address",
    { ...pod, status: {} },
    "the API server does not know the pod's address yet",
  ],
  [
    "with a name in place of an address",
    { ...pod, status: { podIP: "vault.test" } },
    "the API server does not know the pod's address yet",
  ],
])("a pod %s is refused", async (_, object, reason) => {
  const { desk, book } = stage(object ?? null);
  expect(await desk(proven, wanted)).toMatchObject({ decision: "refused", reason });
  expect(book.size).toBe(0);
});

describe("a renewal asks the API server for the address", () => {
  const MINUTE = 60_000;

  test.each([
    ["not if the pod took a hint a moment ago", { sentMs: 9 * MINUTE }, 10, 1],
    ["if it has not answered since", { sentMs: 9 * MINUTE, failures: 1 }, 10, 2],
    ["if it took none for long", { sentMs: MINUTE }, 11, 2],
    ["if a hint is under way", { sentMs: 9 * MINUTE, isSending: true }, 10, 2],
  ])("%s", async (_, state, minutes, questions) => {
    const { desk, asked, book, subscribed, clock } = stage();
    await desk(proven, wanted);
    Object.assign(subscribed[0] ?? {}, state);
    clock.nowMs = minutes * MINUTE;
    expect(await desk(proven, wanted)).toMatchObject({ decision: "subscribed" });
    expect(asked).toHaveLength(questions);
    expect([book.size, book.at(0)?.address]).toEqual([1, "192.0.2.7"]);
  });
});

test("one renewal in six asks for it all the same", async () => {
  const { desk, asked, subscribed } = stage(pod, 0.1);
  await desk(proven, wanted);
  Object.assign(subscribed[0] ?? {}, { sentMs: 0 });
  await desk(proven, wanted);
  expect(asked).toHaveLength(2);
});
