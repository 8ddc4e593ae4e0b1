import { expect, test } from "bun:test";
import type { ApiRequest } from "@svc/kubernetes";
import { watchedConfig } from "../svc-config/watched-config.ts";
import { eventSender } from "./config-events.ts";

function sending() {
  const sent: ApiRequest[] = [];
  const clock = { nowMs: 0 };
  const ask = async (request: ApiRequest) => {
    sent.push(request);
  };
  const sender = eventSender({ api: { ask }, instance: "pod_1", steadyMs: () => clock.nowMs });
  const send = (name: string, note = "x") => {
    const config = watchedConfig({ metadata: { namespace: "shop", name, uid: name } });
    if (config === undefined) throw new TypeError("it has a name");
    return sender.send(config, { type: "Warning", reason: "Invalid", note });
  };
  return { sent, clock, send };
}

test("events of one SvcConfig are ten seconds apart", async () => {
  const { send, clock, sent } = sending();
  const outcomes: boolean[] = [];
  for (const atMs of [0, 1, 9999, 10_000, 10_001]) {
    clock.nowMs = atMs;
    outcomes.push(await send("web"));
  }
  expect(outcomes).toEqual([true, false, false, true, false]);
  expect(sent).toHaveLength(2);
});

test("of all together 25 are sent at once, and then one every five seconds", async () => {
  const { send, clock, sent } = sending();
  for (let index = 0; index < 100; index += 1) await send(`config-${index}`);
  expect(sent).toHaveLength(25);
  clock.nowMs = 10_000;
  for (let index = 100; index < 200; index += 1) await send(`config-${index}`);
  expect(sent).toHaveLength(27);
});

test("a long note is cut at the server's limit, between two characters", async () => {
  const { send, sent } = sending();
  await send("web", "ä".repeat(1000));
  const { note } = Object(sent[0]?.body);
  expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
  expect(note).toMatch(/^ä{500,}…$/);
});
