import { describe, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import type { ApiRequest, KubernetesApi, WatchRequest } from "./connect-api.ts";
import { KubernetesError } from "./kubernetes-error.ts";
import type { WatchEvent } from "./watch-events.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";

const named = (name: string, resourceVersion: string, namespace = "shop") => ({
  metadata: { namespace, name, resourceVersion },
});

/** An API server that sends given events, and then nothing more. */
function scripted(script: {
  readonly lists: (readonly object[] | Error)[];
  readonly watches: (readonly WatchEvent[] | Error)[];
}) {
  const asked: string[] = [];
  const api: KubernetesApi = {
    address: "https://api.test",
    namespace: undefined,
    ask: async ({ path }: ApiRequest) => {
      asked.push(path);
      const list = script.lists.shift();
      if (list instanceof Error) throw list;
      return { metadata: { resourceVersion: "100" }, items: list ?? [] };
    },
    async *watch({ path, signal }: WatchRequest) {
      asked.push(new URL(path, "https://api.test").searchParams.get("resourceVersion") ?? "");
      const events = script.watches.shift();
      if (events instanceof Error) throw events;
      if (events !== undefined) {
        yield* events;
        return;
      }
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  return { api, asked };
}

function watchNames(api: KubernetesApi, failures: unknown[] = []): ObjectWatch<string> {
  return watchObjects(api, {
    path: "/things",
    operation: "watch things",
    pauseMs: 1,
    parse: (object) => {
      const { name, resourceVersion } = Object(object).metadata;
      return name === "unwanted" ? undefined : `${name}@${resourceVersion}`;
    },
    onFailure: (error) => failures.push(error),
  });
}

const unreachable = new KubernetesError("KUBERNETES_UNREACHABLE", "no answer");
const gone: WatchEvent = { type: "ERROR", object: { code: 410, reason: "Expired" } };

describe("the objects are those of the API server", () => {
  const cases: readonly {
    readonly name: string;
    readonly lists: (readonly object[] | Error)[];
    readonly watches: (readonly WatchEvent[] | Error)[];
    readonly all: readonly string[];
    readonly asked: readonly string[];
    readonly failures?: number;
  }[] = [
    {
      name: "after a list",
      lists: [[named("a", "1"), named("b", "2")]],
      watches: [],
      all: ["a@1", "b@2"],
      asked: ["/things?limit=500", "100"],
    },
    {
      name: "after events, of which the last one says from which version to go on",
      lists: [[named("a", "1")]],
      watches: [
        [
          { type: "ADDED", object: named("b", "101") },
          { type: "MODIFIED", object: named("a", "102") },
          { type: "DELETED", object: named("b", "103") },
          { type: "BOOKMARK", object: { metadata: { resourceVersion: "110" } } },
        ],
      ],
      all: ["a@102"],
      asked: ["/things?limit=500", "100", "110"],
    },
    {
      name: "without those that are not wanted, even if they were before",
      lists: [[named("a", "1")]],
      watches: [[{ type: "ADDED", object: named("unwanted", "101") }]],
      all: ["a@1"],
      asked: ["/things?limit=500", "100", "101"],
    },
    {
      name: "after the server has forgotten the state, by another list",
      lists: [[named("a", "1"), named("b", "1")], [named("b", "2")]],
      watches: [[gone]],
      all: ["b@2"],
      asked: ["/things?limit=500", "100", "/things?limit=500", "100"],
    },
    {
      name: "after a watch that failed",
      lists: [[named("a", "1")], [named("c", "2")]],
      watches: [unreachable],
      all: ["c@2"],
      asked: ["/things?limit=500", "100", "/things?limit=500", "100"],
      failures: 1,
    },
    {
      name: "after lists that failed",
      lists: [unreachable, unreachable, [named("a", "1")]],
      watches: [],
      all: ["a@1"],
      asked: ["/things?limit=500", "/things?limit=500", "/things?limit=500", "100"],
      failures: 2,
    },
  ];
  for (const { name, lists, watches, all, asked: expected, failures: count = 0 } of cases) {
    test(name, async () => {
      const { api, asked } = scripted({ lists, watches });
      const failures: unknown[] = [];
      const watch = watchNames(api, failures);
      await waitFor(() => asked.length >= expected.length, {
        deadlineMs: 5000,
        what: "the last request",
      });
      expect(asked).toEqual([...expected]);
      expect(watch.all()).toEqual([...all]);
      expect(failures).toHaveLength(count);
      expect(watch.isSynced()).toBe(true);
      await watch.stop();
    });
  }

  test("by namespace and name", async () => {
    const objects = [named("a", "1", "shop"), named("a", "2", "bank")];
    const { api } = scripted({ lists: [objects], watches: [] });
    const watch = watchNames(api);
    await waitFor(() => watch.isSynced(), { deadlineMs: 5000, what: "the list" });
    expect(watch.inNamespace("bank")).toEqual(["a@2"]);
    expect(watch.get("shop", "a")).toBe("a@1");
    expect(watch.get("shop", "b")).toBeUndefined();
    expect(watch.inNamespace("empty")).toEqual([]);
    await watch.stop();
  });
});

test("nothing is known before the first list, and the end does not wait", async () => {
  const { api } = scripted({ lists: Array(50).fill(unreachable), watches: [] });
  const watch = watchNames(api);
  expect(watch.isSynced()).toBe(false);
  await watch.stop();
  expect(watch.isSynced()).toBe(false);
});

test("a change is reported after it was stored", async () => {
  const { api } = scripted({
    lists: [[named("a", "1")]],
    watches: [[{ type: "ADDED", object: named("b", "2") }]],
  });
  const seen: (readonly string[])[] = [];
  const watch: ObjectWatch<string> = watchObjects(api, {
    ...{ path: "/things", operation: "watch things", pauseMs: 1 },
    parse: (object) => String(Object(object).metadata.name),
    onChange: () => seen.push(watch.all()),
  });
  await waitFor(() => seen.length === 2, { deadlineMs: 5000, what: "both changes" });
  expect(seen).toEqual([["a"], ["a", "b"]]);
  await watch.stop();
});
