import { describe, expect, test } from "bun:test";
import type { PermitAnswer } from "@svc/protocol";
import { failure } from "../errors.ts";
import { least, permits, settingsOf } from "../settings/testdata/least-environment.ts";
import type { LifeContext, LifeEvent, PermitOutcome } from "./life.ts";
import { PATIENCE_MS } from "./permits.ts";
import { readinessOf } from "./status.ts";
import {
  begin,
  checked,
  lease,
  program,
  rotated,
  running,
  Story,
  secrets,
  started,
  summary,
  time,
} from "./testdata/story.ts";

const settings = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s", ...permits });
const drained = settingsOf({
  ...least,
  SVC_ROTATION_SPLAY: "0s",
  SVC_ROTATION_DRAIN: "33s",
  ...permits,
});

const said = (outcome: PermitOutcome): LifeEvent => ({ kind: "permit answered", outcome });
const answered = (answer: PermitAnswer) => said({ kind: "answered", answer });
const go = answered({ decision: "go" });
const wait = answered({ decision: "wait", reason: "1 of 6 pods are away", retryAfterMs: 2000 });
const silence = said({
  kind: "unanswered",
  failures: [failure("PERMIT_UNANSWERED", "ask the operator: refused")],
});

/** The moment of a planned rotation has come. */
function planned(context: Partial<LifeContext> = {}): Story {
  const story = running(context.settings ?? settings, { nowMs: 0 });
  story.context = { ...story.context, nowMs: 600_000, ...context };
  story.tellAll(time, checked({ changed: true }));
  return story;
}

describe("before a rotation by restart", () => {
  test("the operator is asked for a permit", () => {
    expect(summary(planned().tell(time))).toEqual(["ask permit"]);
  });

  test("it is under way from the question on, and not planned any more", () => {
    const story = planned();
    story.tell(time);
    const rotateAtMs = Number.POSITIVE_INFINITY;
    expect(story.life.stage).toMatchObject({ activity: { kind: "asking" }, rotateAtMs });
  });

  test("and not before one by SIGHUP, which takes no pod away", () => {
    const sighup = settingsOf({
      ...least,
      SVC_ROTATION_SPLAY: "0s",
      SVC_ROTATION: "sighup",
      ...permits,
    });
    expect(summary(planned({ settings: sighup }).tell(time))[0]).toStartWith("rotate by sighup");
  });

  test("and not if nothing gives permits", () => {
    const alone = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s" });
    expect(summary(planned({ settings: alone }).tell(time))[0]).toStartWith("rotate by restart");
  });

  test("with a permit the program is replaced, and the operator hears of it", () => {
    const story = planned();
    story.tell(time);
    expect(summary(story.tell(go))[0]).toStartWith("rotate by restart");
    const effects = story.tell(rotated({ kind: "running", program: program() }));
    expect(effects).toContainEqual({ kind: "tell permit", say: "done" });
    // The next one needs another permit.
    story.context = { ...story.context, nowMs: 1_200_000 };
    story.tellAll(time, checked({ changed: true }));
    expect(summary(story.tell(time))).toEqual(["ask permit"]);
  });

  test("a program that keeps its values gives the permit back", () => {
    for (const outcome of [
      { kind: "failed", failures: [failure("VAULT_FAILED", "connect: refused")] },
      { kind: "unchanged", state: secrets },
    ] as const) {
      const story = planned();
      story.tellAll(time, go);
      expect(story.tell(rotated(outcome))).toContainEqual({ kind: "tell permit", say: "kept" });
    }
  });

  test("a program that ends meanwhile uses the permit up", () => {
    const story = planned();
    story.tellAll(time, go);
    const effects = story.tell(rotated({ kind: "ended", ending: { exitCode: 0 } }));
    expect(effects).toContainEqual({ kind: "tell permit", say: "done" });
  });
});

describe("while the operator lets the wrapper wait", () => {
  test("it asks again after the pause, and says the reason once", () => {
    const story = planned();
    story.tell(time);
    const reason = "info: the rotation waits for a permit: 1 of 6 pods are away";
    expect(summary(story.tell(wait))).toEqual([reason, "wait 2000"]);
    expect(summary(story.tell(time))).toEqual(["ask permit"]);
    expect(summary(story.tell(wait))).toEqual(["wait 2000"]);
  });

  test("it goes on checking, and rotates once for all changes", () => {
    const story = planned();
    story.tellAll(time, wait);
    story.tell(time, { nowMs: 602_000 });
    story.tell(answered({ decision: "wait", reason: "later", retryAfterMs: 60_000 }));
    expect(summary(story.tell(time, { nowMs: 632_000 }))).toEqual(["check"]);
    expect(summary(story.tell(checked({ changed: true })))).toEqual(["wait 30000"]);
  });

  test("a check comes in time, however often the wrapper asks", () => {
    const story = planned();
    const seen: string[] = [];
    for (let nowMs = 600_000; nowMs < 640_000; nowMs += 2000) {
      const [effect = ""] = summary(story.tell(time, { nowMs }));
      seen.push(effect);
      story.tell(effect === "check" ? checked({ changed: true }) : wait);
    }
    expect(seen.filter((effect) => effect === "check")).toHaveLength(1);
    expect(seen.filter((effect) => effect === "ask permit").length).toBeGreaterThan(10);
  });

  test("a secret that is about to expire waits no longer", () => {
    const story = new Story(settings, { nowMs: 0 });
    const leases = [{ ...lease, ttlMs: 620_000, renewable: false }];
    story.tellAll(begin, started({ secrets: { ...secrets, leases } }));
    story.context = { ...story.context, nowMs: 500_000 };
    const ending = [{ id: lease.id, path: lease.path, reason: "it cannot be renewed" }];
    story.tellAll(time, checked({ changed: true, endingLeases: ending }));
    const [first] = story.tell(time, { nowMs: 560_000 });
    expect(first).toEqual({ kind: "ask permit", expiresInMs: 60_000 });
    // The check that was due meanwhile comes first.
    expect(summary(story.tell(wait))).toContain("wait 0");
    expect(summary(story.tell(time))).toEqual(["check"]);
    story.tell(checked({ changed: true, endingLeases: ending }));
    expect(summary(story.tell(time, { nowMs: 591_000 }))).toEqual([
      "warn: a secret is about to expire: the rotation waits for no permit",
      "rotate by restart unless notBefore",
    ]);
  });
});

describe("without an answer of the operator", () => {
  test("the wrapper says so once, and asks again", () => {
    const story = planned();
    story.tell(time);
    const line = "warn: the rotation waits: ask the operator: refused";
    expect(summary(story.tell(silence))).toEqual([line, "wait 5000"]);
    story.tell(time, { nowMs: 605_000 });
    expect(summary(story.tell(silence))).toEqual(["wait 5000"]);
  });

  test("it rotates by itself in the end, at a random moment", () => {
    const story = planned();
    story.tellAll(time, silence);
    story.tell(time, { nowMs: 600_000 + PATIENCE_MS });
    expect(summary(story.tell(silence))[0]).toBe(
      "warn: nothing gives permits: the rotation comes without one",
    );
    const later = { nowMs: 600_000 + 1.5 * PATIENCE_MS };
    const effects = story.tell(time, later);
    expect(summary(effects)[0]).toMatch(/^(?:check|rotate by restart)/);
  });

  test("the moment comes later if the program takes long to start", () => {
    const story = planned({ random: 0.5 });
    const observation = { kind: "program ready", startTookMs: 120_000 } as const;
    story.tellAll({ kind: "observed", observation }, time, silence);
    story.tell(time, { nowMs: 600_000 + PATIENCE_MS });
    story.tell(silence);
    const { stage, context } = { stage: story.life.stage, context: story.context };
    expect(stage).toMatchObject({ rotateAtMs: context.nowMs + PATIENCE_MS });
  });

  test("an answer begins the patience again", () => {
    const story = planned();
    story.tellAll(time, silence);
    story.tell(time, { nowMs: 900_000 });
    story.tellAll(wait, time, checked({ changed: true }));
    story.tell(time, { nowMs: 600_000 + PATIENCE_MS });
    expect(summary(story.tell(silence))).toHaveLength(2);
    expect(story.life.stage).toMatchObject({ permit: { kind: "unanswered" } });
  });
});

describe("with a time to drain", () => {
  const ready = {
    ...{ checks: true, staleAfterMs: Number.POSITIVE_INFINITY, protection: undefined },
    names: ({ path }: { readonly path: string }) => path,
  };

  test("readiness fails first, and the program ends when that time is over", () => {
    const story = planned({ settings: drained });
    story.tell(time);
    expect(summary(story.tell(go))).toEqual([
      "phase draining: the program is about to be replaced",
      "info: clients leave the program",
      "wait 33000",
    ]);
    const readiness = readinessOf(story.life, { ...ready, nowMs: 600_000 });
    expect(readiness.status).toBe("draining");
    expect(summary(story.tell(time))[0]).toStartWith("rotate by restart");
  });

  test("the program is ready again if it is left alone", () => {
    const story = planned({ settings: drained });
    story.tellAll(time, go, time);
    const effects = story.tell(rotated({ kind: "unchanged", state: secrets }));
    expect(summary(effects)).toContain("phase running");
  });

  test("a program that ends while it drains is an end like any other", () => {
    const story = planned({ settings: drained });
    story.tellAll(time, go);
    const effects = story.tell({ kind: "program ended", ending: { exitCode: 3 } });
    expect(summary(effects)).toContain("clear away, leftovers within 25000");
  });
});
