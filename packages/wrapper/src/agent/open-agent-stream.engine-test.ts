import { describe, expect, test } from "bun:test";
import type { AgentTarget } from "./agent-target.ts";
import { openAgentStream } from "./engine/open-agent-stream.ts";

const settings = { names: {}, required: false, tls: { tokenPath: "/nowhere/token" } };
const hello = {
  ...({ kind: "hello", wrapperVersion: "1", podUid: "" } as const),
  ...{ containerName: "", podName: "", podNamespace: "", tokenPath: "" },
  ...{ tokenDevice: 0, tokenInode: 0n },
};
// No server listens there: ports below 1024 are root's.
const authority = "127.0.0.1:1";
const refusing: AgentTarget = { kind: "tcp", authority, label: authority };

/** Opens a stream that no agent takes, and says how it ends. */
async function endOf(target: AgentTarget): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const onMessage = () => ended.reject(new TypeError("there is no agent"));
  const stream = await openAgentStream(target, settings, { onMessage, onEnd: ended.resolve });
  stream.send(hello);
  return ended.promise;
}

describe("a stream to an agent that is not there", () => {
  test("names the path without a socket", async () => {
    const path = "/nowhere/agent.sock";
    const reason = await endOf({ kind: "socket", path, label: path }).catch(String);
    expect(reason).toContain(`there is no ${path}`);
  });

  test("ends once, says why, and takes nothing any more", async () => {
    const reasons: string[] = [];
    const ended = Promise.withResolvers<void>();
    const stream = await openAgentStream(refusing, settings, {
      onMessage: () => undefined,
      onEnd: (reason) => {
        reasons.push(reason);
        ended.resolve();
      },
    });
    expect(reasons).toEqual([]);
    await ended.promise;
    stream.send(hello);
    stream.close();
    stream.close();
    await endOf(refusing);
    expect(reasons.length).toBe(1);
    expect(reasons[0]).toMatch(/refused/i);
  });

  test("is silent once it is closed", async () => {
    const heard: unknown[] = [];
    const note = (said: unknown) => void heard.push(said);
    const stream = await openAgentStream(refusing, settings, { onMessage: note, onEnd: note });
    stream.close();
    await endOf(refusing);
    expect(heard).toEqual([]);
  });

  test("does not begin if a file for TLS is missing", async () => {
    const tls = { ...settings.tls, caPath: "/nowhere/ca.pem" };
    const listener = { onMessage: () => undefined, onEnd: () => undefined };
    const opening = openAgentStream(refusing, { ...settings, tls }, listener);
    await expect(opening).rejects.toMatchObject({ code: "ENOENT" });
  });
});
