import { describe, expect, test } from "bun:test";
import { podStory, worstFirst } from "./pod-story.ts";

const refused =
  "VAULT_FAILED: log in at https://vault.test:8200: status 403\nhint: ask for the role";
const ended = (exitCode: number, more: object = {}) => ({ terminated: { exitCode, ...more } });
const running = { running: { startedAt: "2026-11-22T12:00:00Z" } };

interface Told {
  readonly status: object;
  readonly standing: string;
  readonly text: string;
  readonly wrapper?: readonly string[];
}

const cases: Readonly<Record<string, Told>> = {
  "runs its program": {
    status: { state: running, started: true },
    standing: "runs",
    text: "it runs",
  },
  "runs again": {
    status: { state: running, started: true, restartCount: 2, lastState: ended(1) },
    standing: "runs",
    text: "it runs, started again 2 times; before, it ended with 1",
  },
  "waits for its secrets": {
    status: { state: running, started: false },
    standing: "waits",
    text: "it has started, and its program has not",
  },
  "waits for its secrets a second time": {
    status: {
      ...{ state: running, started: false, restartCount: 1 },
      lastState: ended(125, { reason: "Error", message: refused }),
    },
    standing: "fails",
    text: "it has started, and its program has not, started again once; before, its wrapper ended with 125",
    wrapper: refused.split("\n"),
  },
  "is refused by the vault": {
    status: { state: ended(125, { reason: "Error", message: refused }) },
    standing: "fails",
    text: "its wrapper ended with 125",
    wrapper: refused.split("\n"),
  },
  "is refused again and again": {
    status: {
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } },
      ...{ lastState: ended(125, { message: refused }), restartCount: 7 },
    },
    standing: "fails",
    text: "its wrapper ended with 125; started again 7 times, and waits for the next time",
    wrapper: refused.split("\n"),
  },
  "ends with another message, which is not told": {
    status: { state: ended(125, { message: "password=hunter2" }) },
    standing: "fails",
    text: "it ended with 125",
  },
  "ends with a message like the wrapper's and another status": {
    status: { state: ended(1, { message: refused }) },
    standing: "fails",
    text: "it ended with 1",
  },
  "needs more memory": {
    status: { state: ended(137, { reason: "OOMKilled" }) },
    standing: "fails",
    text: "it ended with 137: its memory limit was reached",
  },
  "cannot be started by the runtime": {
    status: { state: ended(128, { reason: "StartError" }) },
    standing: "fails",
    text: "it ended with 128 (StartError)",
  },
  "has done its work": { status: { state: ended(0) }, standing: "ended", text: "it ended with 0" },
  "has no image": {
    status: { state: { waiting: { reason: "ErrImagePull", message: "no\u001b[1m such" } } },
    standing: "fails",
    text: "it waits (ErrImagePull): no [1m such",
  },
  "waits for init containers": {
    status: { state: { waiting: { reason: "PodInitializing" } } },
    standing: "waits",
    text: "it waits (PodInitializing)",
  },
  "is not there yet": { status: {}, standing: "waits", text: "no node has started it" },
};

describe("a container that", () => {
  for (const [name, { status, standing, text, wrapper = [] }] of Object.entries(cases)) {
    test(name, () => {
      const pod = podWith({ containerStatuses: [{ name: "app", ...status }] });
      const story = podStory(pod, ["app"]);
      expect(story.standing).toBe(standing as typeof story.standing);
      expect(story.containers.map((state) => state.text)).toEqual([text]);
      expect(story.containers[0]?.end?.wrapper ?? []).toEqual([...wrapper]);
    });
  }
});

describe("a pod", () => {
  test("without a status waits", () => {
    expect(podStory(podWith({ phase: "Pending" }), ["app"])).toMatchObject({
      standing: "waits",
      containers: [{ name: "app", text: "no node has started it" }],
    });
  });

  test("without a wrapper is bare", () => {
    expect(podStory(podWith({}), [])).toMatchObject({ standing: "bare", containers: [] });
  });

  test("that no node takes says so", () => {
    const message = "0/3 nodes are available";
    const conditions = [{ type: "PodScheduled", status: "False", message }];
    expect(podStory(podWith({ conditions }), ["app"]).reason).toBe(`no node takes it: ${message}`);
  });

  test("that was evicted fails, with any state of its containers", () => {
    const status = { phase: "Failed", reason: "Evicted", message: "low on memory" };
    expect(podStory(podWith(status), ["app"])).toMatchObject({
      standing: "fails",
      reason: "Evicted: low on memory",
    });
  });

  test("whose bundle cannot be copied reports that container as well", () => {
    const state = ended(137, { reason: "OOMKilled" });
    const { standing, containers } = podStory(
      podWith({ initContainerStatuses: [{ name: "svc-bundle", state }] }),
      ["app"],
    );
    expect(standing).toBe("fails");
    expect(containers.map(({ name }) => name)).toEqual(["svc-bundle", "app"]);
  });
});

test("pods are reported from the worst to the best", () => {
  const standings = ["ended", "runs", "bare", "waits", "fails"] as const;
  const stories = standings.map((standing) => {
    return { name: standing, standing, reason: "", containers: [] };
  });
  expect(worstFirst(stories).map(({ name }) => name)).toEqual([
    ...["fails", "waits", "bare", "runs", "ended"],
  ]);
});

function podWith(status: object): object {
  return { metadata: { name: "web" }, status };
}
