import { describe, expect, test } from "bun:test";
import { least, permits, settingsOf } from "../settings/testdata/least-environment.ts";
import { planRotation } from "./plan-rotation.ts";
import { Story, summary } from "./testdata/story.ts";

const environment = {
  ...least,
  SVC_ROTATION_DEBOUNCE: "10s",
  SVC_ROTATION_SPLAY: "60s",
  SVC_ROTATION_MIN_INTERVAL: "100s",
};
const settings = settingsOf(environment);
const never = Number.POSITIVE_INFINITY;
const stage = { rotateAtMs: never, rotatedAtMs: 0, failedRotations: 0 };
const says = "info: a secret has changed: the program gets new values";

describe("the plan of a rotation", () => {
  const rows: readonly (readonly [
    name: string,
    stage: Partial<typeof stage>,
    moment: { readonly nowMs: number; readonly random: number; readonly expiresAtMs?: number },
    rotateAtMs: number,
    said: readonly string[],
  ])[] = [
    ["waits for the debounce", {}, { nowMs: 500_000, random: 0 }, 510_000, [says]],
    ["waits for a part of the splay", {}, { nowMs: 500_000, random: 0.5 }, 530_000, [says]],
    ["waits for the least interval", {}, { nowMs: 20_000, random: 0 }, 100_000, [says]],
    [
      "waits for the least interval since the last rotation",
      { rotatedAtMs: 490_000 },
      { nowMs: 500_000, random: 0 },
      590_000,
      [says],
    ],
    [
      "waits after rotations that failed",
      { failedRotations: 6 },
      { nowMs: 500_000, random: 0 },
      532_000,
      [says],
    ],
    [
      "comes before a secret expires",
      {},
      { nowMs: 500_000, random: 0.5, expiresAtMs: 520_000 },
      510_000,
      [says],
    ],
    [
      "warns if a secret expires before",
      { rotatedAtMs: 490_000 },
      { nowMs: 500_000, random: 0, expiresAtMs: 520_000 },
      590_000,
      ["warn: a lease is shorter than SVC_ROTATION_MIN_INTERVAL: its secret expires before", says],
    ],
    [
      "stays when there is one",
      { rotateAtMs: 505_000 },
      { nowMs: 500_000, random: 0 },
      505_000,
      [],
    ],
    [
      "comes sooner for a secret that expires",
      { rotateAtMs: 560_000 },
      { nowMs: 500_000, random: 0, expiresAtMs: 520_000 },
      510_000,
      [],
    ],
    [
      "comes at once for a secret that has expired",
      { rotateAtMs: 560_000 },
      { nowMs: 500_000, random: 0, expiresAtMs: 400_000 },
      500_000,
      [],
    ],
    [
      "comes no sooner than the least interval allows",
      { rotateAtMs: 560_000, rotatedAtMs: 450_000 },
      { nowMs: 500_000, random: 0, expiresAtMs: 520_000 },
      550_000,
      [],
    ],
  ];
  for (const [name, change, { expiresAtMs = never, ...moment }, rotateAtMs, said] of rows) {
    test(name, () => {
      const { context } = new Story(settings, moment);
      const wanted = { reason: "a secret has changed", expiresAtMs };
      const plan = planRotation({ stage: { ...stage, ...change } }, wanted, context);
      expect({ at: plan.rotateAtMs, said: summary(plan.effects) }).toEqual({
        ...{ at: rotateAtMs, said: [...said] },
      });
    });
  }

  test("says by which way, when, and how long a secret is without its lease", () => {
    const { context } = new Story(settings, { nowMs: 500_000, random: 0 });
    const change = { reason: "a secret has changed", expiresAtMs: 520_000 };
    const { effects } = planRotation(
      { stage: { ...stage, rotatedAtMs: 490_000 } },
      change,
      context,
    );
    expect(effects).toMatchObject([
      { fields: { expiredForMs: 70_000 } },
      { fields: { rotation: "restart", inMs: 90_000 } },
    ]);
  });

  test.each([
    ["grows with the start of the program", {}, 650_000],
    ["stays if the operator orders the rotations", permits, 530_000],
    ["stays if the program goes on during a rotation", { SVC_ROTATION: "sighup" }, 530_000],
  ])("its splay %s", (_name, change, rotateAtMs) => {
    const { context } = new Story(settingsOf({ ...environment, ...change }), {
      nowMs: 500_000,
      random: 0.5,
    });
    const wanted = { reason: "a secret has changed", expiresAtMs: never };
    const plan = planRotation({ stage, startTookMs: 30_000 }, wanted, context);
    expect(plan.rotateAtMs).toBe(rotateAtMs);
  });
});
