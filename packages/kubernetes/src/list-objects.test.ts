import { describe, expect, test } from "bun:test";
import type { KubernetesApi } from "./connect-api.ts";
import { listObjects } from "./list-objects.ts";

function answering(...answers: readonly unknown[]) {
  const asked: string[] = [];
  const rest = [...answers];
  const api: KubernetesApi = {
    ...{ address: "https://api.test", namespace: "default" },
    ask: async ({ path }) => {
      asked.push(path);
      return rest.shift();
    },
    watch: () => {
      throw new TypeError("nothing is watched");
    },
  };
  return { api, asked };
}

const things = { path: "/things", operation: "list things" };

describe("a list is", () => {
  test("put together of its pages", async () => {
    const { api, asked } = answering(
      { metadata: { continue: "more" }, items: [1, 2] },
      { metadata: { resourceVersion: "9" }, items: [3] },
    );
    const listed = await listObjects(api, { ...things, page: 2, query: { labelSelector: "a=b" } });
    expect(listed).toEqual({ items: [1, 2, 3], resourceVersion: "9" });
    expect(asked).toEqual([
      "/things?labelSelector=a%3Db&limit=2",
      "/things?labelSelector=a%3Db&limit=2&continue=more",
    ]);
  });

  test("empty if a server says null, as it does of metadata", async () => {
    const { api } = answering({ metadata: { resourceVersion: "9" }, items: null });
    expect(await listObjects(api, things)).toEqual({ items: [], resourceVersion: "9" });
  });

  for (const answer of [undefined, {}, { items: "x" }]) {
    test(`none if the answer is ${JSON.stringify(answer)}`, async () => {
      const { api } = answering(answer);
      const error: unknown = await listObjects(api, things).catch((it: unknown) => it);
      expect(error).toMatchObject({ code: "KUBERNETES_UNREACHABLE" });
    });
  }
});
