import { describe, expect, test } from "bun:test";
import type { LogFields } from "../log.ts";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import type { LifeEffect, LifeEvent } from "./life.ts";
import { begin, checked, noLockedMemory, outage, running, Story, time } from "./testdata/story.ts";

const settings = settingsOf({ ...least, SVC_RESTART: "always" });
const failedCheck: LifeEvent = {
  kind: "check ended",
  outcome: { kind: "failed", failures: [outage] },
};
const ends: LifeEvent = { kind: "program ended", ending: { exitCode: 139, signal: 11 } };

function fieldsOf(effects: readonly LifeEffect[]): readonly (LogFields | undefined)[] {
  return effects.filter((effect) => effect.kind === "log").map(({ fields }) => fields);
}

describe("the log says with", () => {
  const begun = (): Story => {
    const story = new Story(settings);
    story.tell(begin);
    return story;
  };
  const checking = (): Story => {
    const story = running(settings, { nowMs: 1000 });
    story.tell(time);
    return story;
  };
  const rows: readonly (readonly [
    name: string,
    story: Story,
    event: LifeEvent,
    fields: readonly LogFields[],
  ])[] = [
    [
      "a program that is started again: how it ended, and when it is",
      running(settings, { nowMs: 1234.5 }),
      ends,
      [{ exitCode: 139, signal: 11, ranForMs: 1235, attempt: 1, inMs: 1000 }],
    ],
    [
      "a program that has ended: how",
      running(settings, { isStopping: true }),
      ends,
      [{ exitCode: 139, signal: 11 }],
    ],
    [
      "the end of a wrapper whose program does not run: the signal",
      begun(),
      { kind: "signal", signal: 15 },
      [{ signal: "SIGTERM" }],
    ],
    [
      "a start that a signal ended: which",
      begun(),
      {
        kind: "start ended",
        outcome: { kind: "died", ending: { exitCode: 137, signal: 9 } },
      },
      [{ signal: "SIGKILL" }],
    ],
    [
      "less locked memory: a hint",
      begun(),
      { kind: "start ended", outcome: { kind: "failed", failures: [noLockedMemory] } },
      [{ hint: "raise it" }],
    ],
    [
      "a check that failed: code, hint, and how many have",
      checking(),
      failedCheck,
      [{ code: "VAULT_FAILED", hint: "is it there?" }, { failures: 1 }],
    ],
    [
      "a check: its result",
      checking(),
      checked({ loggedIn: true, token: { ttlMs: 5, renewable: true, own: true } }),
      [{ changed: false, loggedIn: true, tokenTtlMs: 5, leasesRenewed: 0 }],
    ],
  ];
  for (const [name, story, event, fields] of rows) {
    test(name, () => {
      expect(fieldsOf(story.tell(event))).toEqual([...fields]);
    });
  }
});
