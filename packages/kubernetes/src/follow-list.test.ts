import { describe, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import type { ApiRequest, KubernetesApi, WatchRequest } from "./connect-api.ts";
import { followList } from "./follow-list.ts";
import { KubernetesError } from "./kubernetes-error.ts";
import { METADATA_LIST } from "./metadata-list.ts";
import type { WatchEvent } from "./watch-events.ts";

const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const unreachable = new KubernetesError("KUBERNETES_UNREACHABLE", "no answer");
const event = (version: string): WatchEvent => ({
  type: "ADDED",
  object: { metadata: { name: `pod-${version}`, resourceVersion: version } },
});

type Watch = readonly (WatchEvent | Error)[];

/** An API server of one list, and of watches that follow a script and then stay silent. */
function scripted(watches: Watch[]) {
  const asked: string[] = [];
  const api: KubernetesApi = {
    address: "https://api.test",
    namespace: undefined,
    ask: async ({ path, accept }: ApiRequest) => {
      asked.push(`list ${new URLSearchParams(path.split("?")[1]).get("labelSelector")} ${accept}`);
      return { metadata: { resourceVersion: "100" }, items: [{}] };
    },
    async *watch({ path, accept, signal }: WatchRequest) {
      const query = new URLSearchParams(path.split("?")[1]);
      expect([accept, query.get("labelSelector")]).toEqual([METADATA, "a=b"]);
      asked.push(`watch ${query.get("resourceVersion")}`);
      const steps = watches.shift();
      for (const step of steps ?? []) {
        if (step instanceof Error) throw step;
        yield step;
      }
      if (steps === undefined) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }
    },
  };
  return { api, asked };
}

const LIST = `list a=b ${METADATA_LIST}`;
const gone = new KubernetesError("KUBERNETES_REFUSED", "gone", { status: 410 });

const cases: Readonly<Record<string, readonly [watches: Watch[], asked: readonly string[]]>> = {
  "goes on from its last event after a watch that failed": [
    [[event("101"), event("105"), unreachable]],
    [LIST, "watch 100", "watch 105"],
  ],
  "goes on after a watch that ended": [[[event("101")]], [LIST, "watch 100", "watch 101"]],
  "lists again if the server has forgotten the state": [
    [[event("101"), gone]],
    [LIST, "watch 100", LIST, "watch 100"],
  ],
  "lists again if a watch fails again and again": [
    [[unreachable], [unreachable], [unreachable]],
    [LIST, "watch 100", "watch 100", "watch 100", LIST, "watch 100"],
  ],
};

describe("a list that goes on", () => {
  for (const [name, [watches, expected]] of Object.entries(cases)) {
    test(name, async () => {
      const { api, asked } = scripted([...watches]);
      const nothing = () => undefined;
      const sink = { begin: nothing, add: nothing, end: nothing, apply: () => true };
      const follower = followList(
        api,
        {
          ...{ path: "/pods", labelSelector: "a=b", operation: "watch pods", pauseMs: 1 },
          ...{ metadataOnly: true, goesOn: true },
        },
        sink,
      );
      await waitFor(() => asked.length >= expected.length, {
        deadlineMs: 5000,
        what: "the last request",
      });
      expect(asked).toEqual([...expected]);
      await follower.stop();
    });
  }
});

test("events that came together leave others their turn", async () => {
  const events = Array.from({ length: 200 }, (_, index) => event(String(101 + index)));
  const { api } = scripted([events]);
  let taken = 0;
  let turns = 0;
  const timer = setInterval(() => {
    if (taken > 0 && taken < events.length) turns += 1;
  }, 1);
  const busy = () => {
    const untilMs = performance.now() + 1;
    while (performance.now() < untilMs);
    taken += 1;
    return true;
  };
  const nothing = () => undefined;
  const follower = followList(
    api,
    {
      ...{ path: "/pods", labelSelector: "a=b", operation: "watch pods", pauseMs: 1 },
      metadataOnly: true,
    },
    { begin: nothing, add: nothing, end: nothing, apply: busy },
  );
  await waitFor(() => taken === events.length, { deadlineMs: 10_000, what: "the last event" });
  clearInterval(timer);
  await follower.stop();
  // One event takes a millisecond, and a turn comes after four.
  expect(turns).toBeGreaterThan(10);
});
