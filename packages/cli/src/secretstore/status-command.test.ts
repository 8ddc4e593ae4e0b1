import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writePhase } from "@svc/bootstrap";
import { refusal, STORE_PODS, STORE_SECRETS } from "@svc/testing";
import { type StoreStage, secret, storeStage } from "./testdata/store-stage.ts";

const TIMEOUT_MS = 60_000;

describe("status says of the output Secret:", () => {
  let stage: StoreStage;
  beforeAll(async () => {
    stage = await storeStage();
    stage.server.remove(`${STORE_PODS}/store-0`);
  }, TIMEOUT_MS);
  afterAll(() => stage[Symbol.asyncDispose]());

  const held = { holder: "run-1", sinceMs: Date.parse("2026-11-01T00:00:00Z"), resets: 0 };
  const pod = { name: "store-0", uid: "u", containers: "c" };
  const rows = [
    [
      "reserved",
      { ...held, phase: "reserved" },
      'reserved by "run-1" since 2026-11-01T00:00:00.000Z, without keys',
    ],
    [
      "initialising",
      { ...held, phase: "initialising", pod, shares: 3, threshold: 2, beside: undefined },
      '"run-1" initialises the store since 2026-11-01T00:00:00.000Z, without keys',
    ],
    [
      "resetting",
      { ...held, phase: "resetting", pod, claim: { name: "c", uid: "u" } },
      '"run-1" resets the store since 2026-11-01T00:00:00.000Z',
    ],
  ] as const;
  for (const [name, phase, text] of rows) {
    test(name, async () => {
      const { data: _, ...content } = writePhase(phase);
      const { labels, annotations, type } = content;
      const metadata = { name: "svc-vault-init", labels, annotations };
      stage.server.put(secret, { metadata, type, data: {} });
      expect(await stage.run("status")).toEqual({
        exitCode: 2,
        out: `no pods of the store were found\nsecret svc-vault-init: ${text}\n`,
        err: "",
      });
    });
  }

  test("empty", async () => {
    const { type } = writePhase({ ...held, phase: "reserved" });
    stage.server.put(secret, { metadata: { name: "svc-vault-init" }, type });
    expect((await stage.run("status")).out).toEndWith(": nothing is in it yet\n");
  });

  test("foreign: 3", async () => {
    stage.server.put(secret, { metadata: {}, type: "Opaque", data: { password: btoa("hunter2") } });
    const { exitCode, out } = await stage.run("status");
    expect([exitCode, out]).toEqual([3, expect.stringContaining("it is not as svc leaves it: ")]);
    expect(out).not.toContain("hunter2");
  });

  test("nothing, if the API server refuses it, and fails", async () => {
    stage.server.intercept = ({ path }) =>
      path.startsWith(STORE_SECRETS) ? refusal(403, "Forbidden", "not you") : undefined;
    const { exitCode, err } = await stage.run("status");
    stage.server.intercept = () => undefined;
    expect(exitCode).toBe(125);
    expect(err).toContain(
      'read secret "svc-vault-init" in namespace "1": status 403 Forbidden: not you',
    );
  });
});
