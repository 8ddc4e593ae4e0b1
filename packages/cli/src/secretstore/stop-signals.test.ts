import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { storeStage } from "./testdata/store-stage.ts";

describe("a signal", () => {
  // A run that was stopped goes on in this process: each has its own store, which ends with it.
  test("ends a run that waits", async () => {
    await using stage = await storeStage();
    stage.putPod(0, "Pending");
    const signals = new EventEmitter();
    const told: string[] = [];
    const output = {
      out: (text: string) => {
        told.push(text);
        if (text.includes("waiting")) signals.emit("SIGTERM");
      },
      err: (text: string) => void told.push(text),
    };
    const environment = { BOOTSTRAP_WAIT: "1m" };
    const { exitCode } = await stage.run("init", { environment, changed: { signals, output } });
    expect(exitCode).toBe(143);
    expect(told).toEqual([
      "  waiting    store-0 is Pending\n",
      ...["svc: error: stopped by SIGTERM\n", "svc: hint: run it again to go on\n"],
    ]);
  });

  test("waits until the keys are stored", async () => {
    await using stage = await storeStage();
    const signals = new EventEmitter();
    let isStored = false;
    stage.server.intercept = ({ query, body }) => {
      const hasKeys = "unseal-key-1" in Object(Object(body).data);
      if (hasKeys && query["dryRun"] === undefined && !isStored) signals.emit("SIGINT");
      isStored ||= hasKeys && query["dryRun"] === undefined;
      return undefined;
    };
    const { exitCode, err } = await stage.run("init", { changed: { signals } });
    expect(exitCode).toBe(130);
    expect(err).toBe(
      "svc: warning: it ends once the keys that it holds are stored\nsvc: error: stopped by SIGINT\nsvc: hint: run it again to go on\n",
    );
    expect(Object.keys(stage.stored())).toContain("root-token");
  });
});
