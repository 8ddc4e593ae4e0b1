import { beforeAll, describe, expect, test } from "bun:test";
import { needsRoot, temporaryFolder } from "@svc/testing";
import { expectedOfTokens, type TokenStory, tellTokenStory } from "../harness/agent/token-story.ts";

// On each kernel by the strongest tier that it has; e2e/kernels tells it in guests.
needsRoot(describe)("the file of a pod's service account token", () => {
  let story: TokenStory;
  beforeAll(async () => {
    using folder = temporaryFolder();
    story = await tellTokenStory(folder.path);
  }, 180_000);

  test("is watched: each process that opens it is reported, except for wrapper and kubelet", () => {
    expect(story.reported).toEqual(expectedOfTokens);
  });

  test("has events with the wrapper's pod, and none is refused", () => {
    for (const record of story.records) {
      expect(record).toMatchObject({
        ...{ kind: "token_file", decision: "observed" },
        registration: { podUid: story.podUid },
      });
    }
  });

  test("has its content in no record and no log", () => {
    expect(story.told).not.toContain(story.token);
  });
});
