import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openStream } from "@svc/agent/testdata";
import { needsRoot, waitFor } from "@svc/testing";
import { agentPlace, startRecordingAgent } from "../harness/agent/registration-stage.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { deadline, logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const stage = setStage();
const place = agentPlace();
afterAll(place.remove);
const flooder = join(import.meta.dirname, "testdata/floods-socket.py");
const ATTEMPTS = 20_000;
/** Strangers have 8 places for each user, and each connection has up to three descriptors. */
const MOST_DESCRIPTORS = 8 * 3;

// It takes a second user.
needsRoot(describe)(
  "a flood of connections that never speak, of a user who may not register,",
  () => {
    test("takes no place of others, and keeps few descriptors of the agent", async () => {
      await using agent = await startRecordingAgent(place);
      await using early = openStream(place.path);
      early.send({ case: "hello", value: {} });
      expect((await early.next())?.case).toBe("welcome");
      const before = readdirSync("/proc/self/fd").length;
      const flood = startFlood("--hold");
      await waitFor(() => agent.turnedAway() > 100, deadline("the flood to be turned away"));
      await using wrapper = await startWrapper({
        program: ["/bin/sh", "-c", "echo started; exec sleep 60"],
        environment: { ...stage.environment, ...place.environment },
      });
      await wrapper.prints("started");
      const pid = childrenOf(wrapper.pid)[0] ?? 0;
      await waitFor(() => agent.marks.protections.has(pid), deadline("its mark"));
      await logs(wrapper, "connected with the kernel agent", 1);
      expect(readdirSync("/proc/self/fd").length - before).toBeLessThan(MOST_DESCRIPTORS + 32);
      flood.kill();
      await flood.exited;
      expect(agent.registry.counts()).toMatchObject({ connected: 2 });
    });

    test("is counted as turned away, and its silent connections are closed", async () => {
      await using agent = await startRecordingAgent(place);
      const flood = startFlood("--hold");
      await waitFor(() => agent.turnedAway() > 1000, deadline("the flood to be turned away"));
      // All that it holds is closed by the agent when it has been silent for 5 s.
      const text = await flood.stdout.text();
      expect(text).toContain("all closed");
    });
  },
);

function startFlood(...more: readonly string[]) {
  const as = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const words = [...as, "python3", flooder, place.path, String(ATTEMPTS), ...more];
  // A root's own python3 may lie in a folder that another user may not enter.
  const env = { PATH: "/usr/bin:/bin" };
  return Bun.spawn(words, { env, stdio: ["ignore", "pipe", "inherit"] });
}
