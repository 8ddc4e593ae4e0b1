import { expect, test } from "bun:test";
import { least, permits, settingsOf } from "../settings/testdata/least-environment.ts";
import { checkStateOf } from "./check-state.ts";
import type { LifeEvent } from "./life.ts";
import {
  checked,
  failedCheck,
  outage,
  program,
  refused,
  rotated,
  running,
  Story,
  secrets,
  started,
  summary,
  time,
} from "./testdata/story.ts";

const settings = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s" });
const sighup = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s", SVC_ROTATION: "sighup" });
const permitted = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s", ...permits });
const drained = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s", SVC_ROTATION_DRAIN: "9s" });
const never = settingsOf({ ...least, SVC_ROTATION: "none" });
const token = settingsOf({ ...least, VAULT_AUTH_ROLE: "" }, { tokenPresent: true });

const wanted: LifeEvent = { kind: "check wanted" };
const changed = checked({ changed: true });
const wait: LifeEvent = {
  kind: "permit answered",
  outcome: {
    kind: "answered",
    answer: { decision: "wait", reason: "1 of 6 pods are away", retryAfterMs: 2000 },
  },
};
const silence: LifeEvent = {
  kind: "permit answered",
  outcome: { kind: "unanswered", failures: [outage] },
};
const newProgram = rotated({
  kind: "running",
  program: program({ secrets: { ...secrets, digest: "new" } }),
});

/** The program has run for a while. */
function calm(of = settings): Story {
  const story = running(of, { nowMs: 0 });
  story.context = { ...story.context, nowMs: 600_000 };
  return story;
}

test.each([
  ["that has checked", settings, [time, checked()], "current", undefined],
  ["that nothing was asked of", settings, [], "current", undefined],
  ["that checks", settings, [wanted], "checking", "the secrets are being checked"],
  [
    "with a failed check",
    settings,
    [time, failedCheck(outage)],
    "failing",
    "the last check failed: connect: refused",
  ],
  [
    "with two failed checks",
    settings,
    [time, failedCheck(outage), time, failedCheck(outage)],
    "failing",
    "the last 2 checks failed: connect: refused",
  ],
  ["that plans a rotation", settings, [time, changed], "rotating", "a rotation is planned"],
  ["that rotates", settings, [time, changed, time], "rotating", "the program gets new values"],
  [
    "whose rotation failed",
    settings,
    [time, changed, time, rotated({ kind: "failed", failures: [outage] })],
    "failing",
    "the last rotation failed",
  ],
  [
    "whose values were changed back",
    settings,
    [time, changed, time, rotated({ kind: "failed", failures: [outage] }), time, checked()],
    "current",
    undefined,
  ],
  ["that drains", drained, [time, changed, time], "rotating", "clients leave the program"],
  ["that asks for a permit", permitted, [time, changed, time], "rotating", "the operator is asked"],
  [
    "that waits for a permit",
    permitted,
    [time, changed, time, wait],
    "rotating",
    "waits for a permit: 1 of 6 pods are away",
  ],
  [
    "without an operator",
    permitted,
    [time, changed, time, silence],
    "rotating",
    "the operator does not answer",
  ],
  ["with a new program", settings, [time, changed, time, newProgram], "current", undefined],
  ["without checks", never, [], "unchecked", "SVC_ROTATION=none"],
  [
    "whose token has died",
    token,
    [time, failedCheck(refused)],
    "waiting",
    "POST /v1/unseal has to bring a token",
  ],
] as const)("a wrapper %s", (_name, of, events, state, reason) => {
  const story = calm(of);
  story.tellAll(...events);
  const found = checkStateOf(story.life, of);
  expect([found.state, "reason" in found ? found.reason : undefined]).toEqual([
    state,
    reason === undefined ? undefined : expect.stringContaining(reason),
  ]);
});

test("a wrapper without a program waits, and says why", () => {
  const story = new Story(settings);
  story.tell({ kind: "begin", isUnderWay: true });
  story.tell(wanted);
  expect(checkStateOf(story.life, settings)).toMatchObject({ state: "waiting" });
  expect(summary(story.tell(started()))).not.toContain("check");
});

test("a check that is wanted ends the pause, also that before a rotation", () => {
  expect(summary(calm().tell(wanted))).toEqual(["cancel", "check"]);
  const planned = calm();
  planned.tellAll(time, changed);
  expect(summary(planned.tell(wanted))).toEqual(["cancel", "check"]);
  planned.tell(checked());
  expect(checkStateOf(planned.life, settings)).toMatchObject({ state: "rotating" });
});

test("a check that is under way is followed by another", () => {
  const story = calm();
  story.tell(time);
  expect(story.tell(wanted)).toEqual([]);
  expect(summary(story.tell(checked()))).toContain("wait 0");
  expect(checkStateOf(story.life, settings)).toMatchObject({ state: "checking" });
  expect(summary(story.tell(time))).toEqual(["check"]);
  story.tell(checked());
  expect(checkStateOf(story.life, settings)).toEqual({ state: "current" });
});

test("a rotation by SIGHUP that is under way is followed by a check", () => {
  const story = calm(sighup);
  story.tellAll(time, changed, time, wanted);
  const state = { digest: "new", watched: secrets.watched, leases: [] };
  expect(summary(story.tell(rotated({ kind: "refreshed", state })))).toContain("wait 0");
});

test("a wrapper that never checks, and one that waits for a token, check nothing", () => {
  expect(calm(never).tell(wanted)).toEqual([]);
  const story = calm(token);
  story.tellAll(time, failedCheck(refused));
  expect(story.tell(wanted)).toEqual([]);
});
