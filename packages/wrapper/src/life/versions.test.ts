import { describe, expect, test } from "bun:test";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import type { LifeEvent, RotationOutcome } from "./life.ts";
import {
  begin,
  checked,
  outage,
  program,
  Story,
  secrets,
  started,
  time,
} from "./testdata/story.ts";

const restart = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s", SVC_RESTART: "always" });
const sighup = settingsOf({ ...least, SVC_ROTATION: "sighup", SVC_ROTATION_SPLAY: "0s" });

const next = {
  watched: [{ path: "secret/data/app", version: 4, by: "metadata" as const }],
  leases: [],
  digest: "new",
};
const replaced = program({ secrets: { ...secrets, ...next }, startedAtMs: 690_000 });
const rotated = (outcome: RotationOutcome): LifeEvent => ({ kind: "rotation ended", outcome });
const change = [time, checked({ changed: true, watched: next.watched }), time];
const sameValues = [time, checked({ watched: next.watched })];

/** A wrapper whose program has started at 1000 of the wall clock; now it is 701,000. */
function story(settings: typeof restart, delivery: "inject" | "env"): Story {
  const told = new Story(settings, { wallMs: 1000 });
  told.tellAll(begin, started({ delivery }));
  told.context = { ...told.context, nowMs: 700_000, wallMs: 701_000 };
  return told;
}

const first = { path: "secret/data/app", version: 3, sinceMs: 1000 };
const now = { path: "secret/data/app", version: 4, sinceMs: 701_000 };

describe("the program's version", () => {
  const rows: readonly (readonly [
    name: string,
    told: Story,
    events: readonly LifeEvent[],
    version: typeof first,
  ])[] = [
    ["is that of its start", story(restart, "inject"), [], first],
    ["stays when a newer one is seen", story(restart, "inject"), change, first],
    [
      "stays when a check fails",
      story(restart, "inject"),
      [time, { kind: "check ended", outcome: { kind: "failed", failures: [outage] } }],
      first,
    ],
    [
      "stays when a rotation fails",
      story(restart, "inject"),
      [...change, rotated({ kind: "failed", failures: [outage] })],
      first,
    ],
    [
      "is the new program's, since its start",
      story(restart, "inject"),
      [...change, rotated({ kind: "running", program: replaced })],
      { ...now, sinceMs: 691_000 },
    ],
    [
      "is another one with the same values, as soon as it is seen",
      story(restart, "inject"),
      sameValues,
      now,
    ],
    [
      "is that of values that a rotation finds to be the same",
      story(restart, "inject"),
      [...change, rotated({ kind: "unchanged", state: next })],
      now,
    ],
    [
      "is the new one once the region has it, before SIGHUP",
      story(sighup, "inject"),
      [...change, rotated({ kind: "refreshed", state: next })],
      now,
    ],
    [
      "stays under env, where SIGHUP brings no values",
      story(sighup, "env"),
      [...change, rotated({ kind: "refreshed", state: next })],
      first,
    ],
    [
      "stays under env even if later checks find nothing new",
      story(sighup, "env"),
      [...change, rotated({ kind: "refreshed", state: next }), time, checked(next)],
      first,
    ],
    [
      "keeps its time when the program is started again with it",
      story(restart, "inject"),
      [{ kind: "program ended", ending: { exitCode: 1 } }, time, started({ startedAtMs: 700_000 })],
      first,
    ],
  ];
  for (const [name, told, events, version] of rows) {
    test(name, () => {
      told.tellAll(...events);
      expect(told.life.versions).toEqual([version]);
    });
  }

  test("under env is the newest again after the next start", () => {
    const settings = settingsOf({ ...least, SVC_ROTATION: "sighup", SVC_RESTART: "always" });
    const told = story({ ...settings, rotation: sighup.rotation }, "env");
    told.tellAll(...change, rotated({ kind: "refreshed", state: next }));
    const again = program({ ...replaced, delivery: "env" });
    told.tellAll({ kind: "program ended", ending: { exitCode: 1 } }, time, started(again));
    expect(told.life.versions).toEqual([{ ...now, sinceMs: 691_000 }]);
  });
});
