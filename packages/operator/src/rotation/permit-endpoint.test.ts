import { expect, test } from "bun:test";
import { KubernetesError } from "@svc/kubernetes";
import { type PermitEndpointParts, permitEndpoint } from "./permit-endpoint.ts";

const question = JSON.stringify({ token: "t", say: "ask", by: "program" });

function endpoint(change: Partial<PermitEndpointParts> = {}) {
  const counted: string[] = [];
  const answer = permitEndpoint({
    identify: async () => ({ namespace: "shop", name: "web-0", uid: "u" }),
    desk: async () => ({ decision: "go" }),
    log: () => undefined,
    count: (outcome) => counted.push(outcome),
    ...change,
  });
  const post = (body = question) =>
    answer(new Request("https://x.test/v1/rotation-permits", { method: "POST", body }));
  return { post, counted };
}

test("a question is answered, and counted", async () => {
  const { post, counted } = endpoint();
  expect(await (await post()).json()).toEqual({ decision: "go" });
  expect(counted).toEqual(["go"]);
});

test("a question beyond the most at once is told to come again", async () => {
  const never = Promise.withResolvers<{ decision: "go" }>();
  const { post, counted } = endpoint({ desk: () => never.promise, mostAtOnce: 2 });
  const under = [post(), post()];
  const busy = await post();
  expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "2"]);
  never.resolve({ decision: "go" });
  expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200]);
  expect(counted).toEqual(["refused", "go", "go"]);
});

test("a token whose review has no place is told to come again", async () => {
  expect((await endpoint({ identify: async () => undefined }).post()).status).toBe(503);
});

test("a question without an API server is told to come again", async () => {
  const desk = () => Promise.reject(new KubernetesError("KUBERNETES_UNREACHABLE", "it is away"));
  const answer = await endpoint({ desk }).post();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
});

test("a question that is too long is refused before its token is reviewed", async () => {
  const identify = () => Promise.reject(new TypeError("it was reviewed"));
  const long = JSON.stringify({ token: "x".repeat(30_000), say: "ask", by: "program" });
  expect((await endpoint({ identify }).post(long)).status).toBe(413);
});
