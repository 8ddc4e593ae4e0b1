import { afterAll, expect, test } from "bun:test";
import { needsRoot, waitFor } from "@svc/testing";
import { agentPlace, startRecordingAgent } from "../harness/agent/registration-stage.ts";
import {
  changingStore,
  deadline,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

setLifecycleStage();
const place = agentPlace();
afterAll(place.remove);
// The agent sees the program of a process that is not dumpable, as root does.
const rootTest = needsRoot(test);

type Agent = Awaited<ReturnType<typeof startRecordingAgent>>;

async function hears(agent: Agent, version: number, path: string): Promise<void> {
  await waitFor(
    () => agent.registry.versions()[0]?.secrets[0]?.version === version,
    deadline(`version ${version} at the agent`),
  );
  expect(agent.registry.versions()).toMatchObject([
    { registration: 1n, connected: true, secrets: [{ path, version, since: expect.any(String) }] },
  ]);
}

for (const [what, path, showPaths] of [
  ["with their paths", "secret/data/app", "true"],
  ["without paths", "1", "false"],
] as const) {
  rootTest(
    `the agent hears the versions of the program, and each agent that comes: ${what}`,
    async () => {
      await using store = changingStore();
      const first = await startRecordingAgent(place);
      await using wrapper = await startWrapper({
        program: [recorder],
        environment: { ...store.environment, ...place.environment, SVC_SHOW_PATHS: showPaths },
      });
      await hears(first, 1, path);
      await wrapper.prints(`start ${await store.change()}`);
      await hears(first, 2, path);
      await first.stop();
      await logs(wrapper, "the kernel agent is lost");
      await using second = await startRecordingAgent(place);
      await hears(second, 2, path);
    },
  );
}
