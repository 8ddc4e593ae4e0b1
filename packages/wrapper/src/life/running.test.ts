import { describe, expect, test } from "bun:test";
import type { Failure } from "../errors.ts";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import type { LifeContext, LifeEffect, LifeEvent, RotationOutcome } from "./life.ts";
import { readinessOf } from "./status.ts";
import {
  begin,
  checked,
  failedCheck,
  lease,
  noLockedMemory,
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
const sighup = settingsOf({ ...least, SVC_ROTATION: "sighup", SVC_ROTATION_SPLAY: "0s" });
const givenToken = settingsOf({ ...least, VAULT_AUTH_ROLE: "" }, { tokenPresent: true });

const ready = {
  ...{ checks: true, staleAfterMs: Number.POSITIVE_INFINITY, protection: undefined },
  names: ({ path }: { readonly path: string }) => path,
};
const ends = (exitCode: number): LifeEvent => ({ kind: "program ended", ending: { exitCode } });
const fresh = {
  watched: [{ path: "secret/data/app", version: 4, by: "metadata" as const }],
  leases: [],
  digest: "new",
};

/** The program has run for long, and the check is due. */
function due(context: Partial<LifeContext> = {}): Story {
  const story = running(settings, { nowMs: 0, ...context });
  story.context = { ...story.context, nowMs: 600_000 };
  return story;
}

/** A check is under way. */
function checking(context: Partial<LifeContext> = {}): Story {
  const story = due(context);
  story.tell(time);
  return story;
}

/** A rotation is under way. */
function rotating(context: Partial<LifeContext> = {}): Story {
  const story = checking(context);
  story.tellAll(checked({ changed: true }), time);
  return story;
}

function jobOf(effects: readonly LifeEffect[]) {
  const [found] = effects.filter((effect) => effect.kind === "check");
  return found?.job;
}

describe("checks", () => {
  test("with SVC_ROTATION=none there are none", () => {
    const story = running(settingsOf({ ...least, SVC_ROTATION: "none" }));
    expect(story.life.stage).toMatchObject({ kind: "running", activity: { kind: "none" } });
    expect(story.tell(time)).toEqual([]);
  });

  test("begin with a token of which nothing is known", () => {
    const effects = due().tell(time);
    expect(summary(effects)).toEqual(["check"]);
    expect(jobOf(effects)).toMatchObject({
      token: { kind: "look up" },
      watched: secrets.watched,
      digest: "digest",
      mayGoBack: false,
    });
  });

  test("renew tokens and leases that are due within half an interval", () => {
    const token = { ttlMs: 60_000, renewable: true, own: true, fullTtlMs: 60_000 };
    const renewIn = (ms: number) => {
      const story = due();
      const held = { ...token, expiresAtMs: 700_000, renewAtMs: 600_000 + ms };
      return jobOf(story.tell(time, { token: held }))?.token.kind;
    };
    expect({ soon: renewIn(15_000), later: renewIn(15_001) }).toEqual({
      ...{ soon: "renew", later: "leave" },
    });
  });

  test("renew early if checks are slow", () => {
    const story = checking();
    story.tell(checked(), { nowMs: 610_000 });
    const held = { ttlMs: 60_000, renewable: true, own: true, fullTtlMs: 60_000 };
    const token = { ...held, expiresAtMs: 700_000, renewAtMs: 700_000 + 25_000 };
    const job = jobOf(story.tell(time, { nowMs: 700_000, token }));
    expect(job?.token.kind).toBe("renew");
  });

  test("come before something is due", () => {
    const held = { ttlMs: 60_000, renewable: true, own: true, fullTtlMs: 60_000 };
    const token = { ...held, expiresAtMs: 630_000, renewAtMs: 605_000 };
    const story = checking();
    expect(summary(story.tell(checked(), { token })).at(-1)).toBe("wait 5000");
  });

  test("come later for a token that never expires", () => {
    const held = { ttlMs: 0, renewable: false, own: false, fullTtlMs: 0 };
    const never = Number.POSITIVE_INFINITY;
    const story = new Story(settings, {
      token: { ...held, expiresAtMs: never, renewAtMs: never },
    });
    story.tell(begin);
    expect(summary(story.tell(started())).at(-1)).toBe("wait 16500");
  });

  test("that fail for an outage do not seal the wrapper", () => {
    const story = checking({ settings: givenToken });
    story.tell(failedCheck(outage));
    expect(story.life.stage).toMatchObject({ activity: { kind: "waiting" } });
  });

  test("come again after an interval, of which the first is shorter", () => {
    const story = running(settings);
    expect(summary(story.tell(time))).toEqual(["check"]);
    const effects = story.tell(checked());
    expect(summary(effects)).toEqual(["give memory back", "wait 30000"]);
    expect(story.life.counts.checks).toEqual({ unchanged: 1, changed: 0, failed: 0 });
  });

  test("give memory back with the first of eight", () => {
    const story = due();
    const given = Array.from({ length: 10 }, () => {
      story.tell(time);
      return summary(story.tell(checked())).includes("give memory back");
    });
    expect(given).toEqual([true, ...Array(7).fill(false), true, false]);
  });

  test("that fail are said, counted, and come sooner", () => {
    const story = checking();
    expect(summary(story.tell(failedCheck(outage)))).toEqual([
      ...["give memory back", "warn: the secrets could not be checked: connect: refused"],
      "wait 750",
    ]);
    story.tell(time);
    expect(summary(story.tell(failedCheck(outage))).at(-1)).toBe("wait 1500");
    story.tell(time);
    expect(summary(story.tell(checked()))).toEqual([
      ...["info: the secrets can be checked again", "wait 30000"],
    ]);
    expect(story.life.counts.checks).toEqual({ unchanged: 1, changed: 0, failed: 2 });
  });

  test("that cannot be started three times in a row make the program stale", () => {
    const story = checking();
    const unstarted: LifeEvent = {
      kind: "check ended",
      outcome: { kind: "failed", failures: [outage], isUnstarted: true },
    };
    const statuses = [unstarted, unstarted, failedCheck(outage), unstarted, unstarted, unstarted];
    const seen = [...statuses, checked()].map((event) => {
      story.tell(event);
      story.tell(time);
      return readinessOf(story.life, { ...story.context, ...ready }).status;
    });
    expect(seen).toEqual([...Array(5).fill("ready"), "stale", "ready"]);
  });

  test("that fail come more and more seldom while a person has to mend the cause", () => {
    const pauseAfter = (failure: Failure): string | undefined => {
      const story = checking();
      const fail = () => summary(story.tell(failedCheck(failure))).at(-1);
      for (let failed = 1; failed < 12; failed++) {
        fail();
        story.context = { ...story.context, nowMs: story.context.nowMs + 600_000 };
        story.tell(time);
      }
      return fail();
    };
    expect(pauseAfter(outage)).toBe("wait 45000");
    expect(pauseAfter({ ...outage, lasting: true })).toBe("wait 225000");
  });

  test("that fail in part are said, counted, and come sooner", () => {
    const story = checking();
    expect(summary(story.tell(checked({ failures: [outage] })))).toEqual([
      ...["give memory back", "warn: the secrets could not be checked: connect: refused"],
      "wait 750",
    ]);
    expect(story.life.counts.checks).toEqual({ unchanged: 0, changed: 0, failed: 1 });
    expect(story.life.knowledge?.checkedAtMs).toBe(0);
  });

  test("do not listen to a node that is behind", () => {
    const story = checking();
    const effects = story.tell(checked({ older: true }));
    expect(effects).toContainEqual({
      kind: "log",
      level: "debug",
      message: "a node of the vault is behind: it is not listened to",
    });
    expect(story.life.stage).toMatchObject({ rotateAtMs: Number.POSITIVE_INFINITY });
  });

  test("that are refused do not seal a wrapper that logs in by itself", () => {
    const effects = checking().tell(failedCheck(refused));
    expect(summary(effects).at(-1)).toBe("wait 750");
  });

  test("for which too little memory can be locked come at once, with ordinary memory", () => {
    expect(summary(checking().tell(failedCheck(noLockedMemory)))).toEqual([
      "give memory back",
      "degrade memory: RLIMIT_MEMLOCK is 0",
      "warn: degraded: secrets are in ordinary memory: RLIMIT_MEMLOCK is 0",
      "wait 0",
    ]);
  });

  test("that hurry hurry once", () => {
    const story = checking();
    story.tellAll(failedCheck(noLockedMemory), time);
    expect(summary(story.tell(checked())).at(-1)).toBe("wait 30000");
  });

  test("end with the program", () => {
    const story = checking();
    expect(summary(story.tell(ends(0)))[0]).toBe("cancel");
    expect(story.life.stage.kind).toBe("ending");
  });

  test("ignore events of other activities", () => {
    const story = checking();
    const { life } = story;
    for (const event of [time, rotated({ kind: "failed", failures: [] }), started()]) {
      expect(story.tell(event)).toEqual([]);
    }
    expect(story.life).toEqual(life);
  });
});

describe("renewals", () => {
  const held = {
    ...{ ttlMs: 60_000, renewable: true, own: true, fullTtlMs: 60_000 },
    ...{ expiresAtMs: 60_000, renewAtMs: 30_000 },
  };
  const heldLease = { ...lease, expiresAtMs: 60_000, renewAtMs: 40_000 };
  const rows: readonly (readonly [
    name: string,
    event: LifeEvent,
    renewals: Readonly<Record<"renewed" | "refused" | "failed", number>>,
  ])[] = [
    [
      "of token and lease",
      checked({ token: held, renewedLeases: [lease] }),
      { renewed: 2, refused: 0, failed: 0 },
    ],
    [
      "of the lease alone",
      checked({ renewedLeases: [lease] }),
      { renewed: 1, refused: 1, failed: 0 },
    ],
    [
      "of the token alone: the lease was refused",
      checked({ token: held, endingLeases: [{ id: "db/1", path: "db", reason: "refused" }] }),
      { renewed: 1, refused: 1, failed: 0 },
    ],
    [
      "of the token alone: the lease could not be asked for",
      checked({ token: held, failures: [outage] }),
      { renewed: 1, refused: 0, failed: 1 },
    ],
    [
      "by a login, which counts as a refusal",
      checked({ token: held, loggedIn: true, renewedLeases: [lease] }),
      { renewed: 1, refused: 1, failed: 0 },
    ],
    ["of nothing: the check failed", failedCheck(outage), { renewed: 0, refused: 0, failed: 2 }],
  ];
  for (const [name, event, renewals] of rows) {
    test(`are counted: ${name}`, () => {
      const story = running(settings, { token: held });
      story.life = { ...story.life, knowledge: { ...knowledgeOf(story), leases: [heldLease] } };
      story.tell(time, { nowMs: 40_000 });
      story.tell(event);
      expect(story.life.counts.renewals).toEqual(renewals);
    });
  }

  test("of leases are counted without a token's, if that is left alone", () => {
    const story = running(settings, { token: { ...held, renewAtMs: 900_000 } });
    story.life = { ...story.life, knowledge: { ...knowledgeOf(story), leases: [heldLease] } };
    story.tell(time, { nowMs: 40_000 });
    story.tell(failedCheck(outage));
    expect(story.life.counts.renewals).toEqual({ renewed: 0, refused: 0, failed: 1 });
    story.tell(time);
    story.tell(checked({ renewedLeases: [lease] }));
    expect(story.life.counts.renewals).toEqual({ renewed: 1, refused: 0, failed: 1 });
  });

  test("that took a login count it", () => {
    const story = checking();
    story.tell(checked({ loggedIn: true }));
    expect(story.life.counts.logins).toBe(1);
  });
});

function knowledgeOf({ life: { knowledge } }: Story) {
  if (knowledge === undefined) throw new TypeError("nothing is known");
  return knowledge;
}

describe("a secret that has changed", () => {
  test("is waited for a moment, and then delivered by a restart", () => {
    const story = checking();
    expect(summary(story.tell(checked({ changed: true })))).toEqual([
      "give memory back",
      "info: a secret has changed: the program gets new values",
      "wait 1000",
    ]);
    expect(summary(story.tell(time, { nowMs: 601_000 }))).toEqual([
      "rotate by restart unless notBefore, unlessDigest",
    ]);
    expect(story.life.counts.checks).toEqual({ unchanged: 0, changed: 1, failed: 0 });
  });

  test("is delivered by SIGHUP if that is asked for", () => {
    const story = rotating({ settings: sighup });
    expect(story.life.stage).toMatchObject({ activity: { kind: "rotating" } });
  });

  test("is checked on until then, and planned once", () => {
    const story = running(settings, { nowMs: 0 });
    story.tellAll(time, checked({ changed: true }));
    // SVC_ROTATION_MIN_INTERVAL is a minute: checks that are due before are made.
    expect(story.life.stage).toMatchObject({ rotateAtMs: 60_000 });
    const held = {
      ...{ ttlMs: 6_000, renewable: true, own: true, fullTtlMs: 6_000 },
      ...{ expiresAtMs: 6_000, renewAtMs: 3_000 },
    };
    story.tell(time, { nowMs: 3_000, token: held });
    story.tell(checked({ changed: true }), { nowMs: 4_000 });
    expect(story.life.stage).toMatchObject({ rotateAtMs: 60_000 });
  });

  test("of a lease that ends is replaced though all others are the same", () => {
    const story = checking();
    const ending = { id: "db/1", path: "db/creds/app", reason: "the vault refused" };
    expect(summary(story.tell(checked({ endingLeases: [ending] })))).toContain(
      "info: the lease of db/creds/app ends: the vault refused: the program gets new values",
    );
    expect(summary(story.tell(time, { nowMs: 601_000 }))).toEqual([
      "rotate by restart unless notBefore",
    ]);
  });

  test("may be an older one once the vault has been behind for a minute", () => {
    const story = checking();
    story.tell(checked({ older: true }));
    story.tell(time, { nowMs: 700_000 });
    story.tell(checked({ changed: true, older: true }));
    expect(summary(story.tell(time, { nowMs: 701_000 }))).toEqual([
      "rotate by restart unless unlessDigest",
    ]);
  });
});

describe("a rotation", () => {
  test("that has started another program goes on with that", () => {
    const story = rotating();
    const next = program({ startedAtMs: 602_000, fetchedAtMs: 601_500, delivery: "preload" });
    const effects = story.tell(rotated({ kind: "running", program: next }), { nowMs: 602_000 });
    expect(summary(effects)).toEqual(["follow program", "measure protection", "wait 30000"]);
    expect(story.life.stage).toMatchObject({
      ...{ startedAtMs: 602_000, rotatedAtMs: 602_000, failedRotations: 0 },
      rotateAtMs: Number.POSITIVE_INFINITY,
    });
    const { counts, knowledge } = story.life;
    expect(counts.rotations.restart).toEqual({ completed: 1, failed: 0 });
    expect(counts.applicationRestarts).toEqual({ rotation: 1, crash: 0 });
    expect(counts.delivery?.method).toBe("preload");
    expect(knowledge?.checkedAtMs).toBe(601_500);
  });

  test("is followed by the end of the program that it started", () => {
    const story = rotating();
    story.tell(ends(143));
    story.tell(rotated({ kind: "running", program: program({ startedAtMs: 602_000 }) }));
    story.tell(ends(7));
    expect(summary(story.tell({ kind: "cleared" })).at(-1)).toBe("exit 7");
  });

  test("by SIGHUP leaves the program, which has new values", () => {
    const story = rotating({ settings: sighup });
    const effects = story.tell(rotated({ kind: "refreshed", state: fresh }), { nowMs: 602_000 });
    expect(summary(effects)).toEqual(["wait 30000"]);
    expect(story.life.stage).toMatchObject({ startedAtMs: 0, rotatedAtMs: 602_000 });
    expect(story.life.knowledge?.digest).toBe("new");
    expect(story.life.counts.rotations.sighup).toEqual({ completed: 1, failed: 0 });
    expect(story.life.counts.applicationRestarts).toEqual({ rotation: 0, crash: 0 });
  });

  test("that found the same values leaves the program alone", () => {
    const story = rotating();
    const effects = story.tell(rotated({ kind: "unchanged", state: fresh }));
    expect(summary(effects)).toEqual([
      ...["info: the program has these secrets already: it is left alone", "wait 30000"],
    ]);
    expect(story.life.counts.rotations.restart).toEqual({ completed: 0, failed: 0 });
    expect(story.life.knowledge?.watched).toEqual(fresh.watched);
  });

  test("that fails leaves the program alone, and comes again later", () => {
    const story = rotating();
    expect(summary(story.tell(rotated({ kind: "failed", failures: [outage] })))).toEqual([
      ...["error: the program keeps its values: connect: refused", "wait 30000"],
    ]);
    expect(story.life.stage).toMatchObject({ failedRotations: 1 });
    expect(story.life.counts.rotations.restart).toEqual({ completed: 0, failed: 1 });
    story.tell(time);
    story.tell(checked({ changed: true }));
    expect(story.life.stage).toMatchObject({ rotateAtMs: 601_000 });
    story.tellAll(time, rotated({ kind: "failed", failures: [outage] }), time);
    story.tell(checked({ changed: true }));
    expect(story.life.stage).toMatchObject({ rotateAtMs: 602_000 });
    story.tellAll(time, rotated({ kind: "unchanged", state: fresh }));
    expect(story.life.stage).toMatchObject({ failedRotations: 0 });
  });

  test("that fails forgets no check that failed", () => {
    const last = (outcome: RotationOutcome) => {
      const story = checking();
      story.tellAll(checked({ changed: true, failures: [outage] }), time);
      story.tellAll(failedCheck(outage), time);
      return summary(story.tell(rotated(outcome))).at(-1);
    };
    expect(last({ kind: "failed", failures: [outage] })).toBe("wait 1500");
    expect(last({ kind: "unchanged", state: fresh })).toBe("wait 30000");
  });

  test("for which too little memory can be locked comes again with ordinary memory", () => {
    const story = rotating();
    expect(summary(story.tell(rotated({ kind: "failed", failures: [noLockedMemory] })))).toEqual([
      "degrade memory: RLIMIT_MEMLOCK is 0",
      "warn: degraded: secrets are in ordinary memory: RLIMIT_MEMLOCK is 0",
      "rotate by restart unless notBefore, unlessDigest",
    ]);
    expect(story.life.counts.rotations.restart.failed).toBe(0);
  });

  test("ignores events of other activities", () => {
    const story = rotating();
    const { life } = story;
    for (const event of [time, checked(), started()]) expect(story.tell(event)).toEqual([]);
    expect(story.life).toEqual(life);
  });

  test("hears of the old program's end from the rotation alone", () => {
    const story = rotating();
    expect(story.tell(ends(0))).toEqual([]);
    expect(story.life.stage.kind).toBe("running");
  });

  const after: readonly (readonly [name: string, outcome: RotationOutcome])[] = [
    ["failed", { kind: "failed", failures: [outage] }],
    ["failed for too little locked memory", { kind: "failed", failures: [noLockedMemory] }],
    ["changed nothing", { kind: "unchanged", state: fresh }],
    ["was notified of the end", { kind: "ended", ending: { exitCode: 9 } }],
  ];
  for (const [name, outcome] of after) {
    test(`that ${name} ends with a program that has ended meanwhile`, () => {
      const story = rotating();
      story.tell(ends(9));
      expect(summary(story.tell(rotated(outcome)))).toContain(
        "phase stopped: the program has ended",
      );
      expect(summary(story.tell({ kind: "cleared" })).at(-1)).toBe("exit 9");
    });
  }

  test("by SIGHUP ends with the program", () => {
    const story = rotating({ settings: sighup });
    expect(summary(story.tell(ends(1)))).toContain("phase stopped: the program has ended");
  });

  test("that has lost the program counts as failed", () => {
    const story = rotating();
    const outcome = { kind: "died", ending: { exitCode: 137, signal: 9 } } as const;
    story.tell(rotated({ kind: "lost", outcome }));
    expect(story.life.counts.rotations.restart.failed).toBe(1);
    expect(story.life.applicationRuns).toBe(false);
  });
});

describe("a token that dies while the program runs", () => {
  const lost = (context: Partial<LifeContext> = {}): Story =>
    checking({ settings: givenToken, ...context });

  test("is waited for while the program runs on", () => {
    const story = lost();
    expect(summary(story.tell(failedCheck(refused, outage)))).toEqual([
      ...["give memory back", "error: 403", "error: connect: refused"],
      ...["close health port", "phase running, sealed", "give token up", "serve unseal"],
    ]);
    expect(story.life.applicationRuns).toBe(true);
  });

  test("ignores events of other activities", () => {
    const story = lost();
    story.tell(failedCheck(refused));
    const { life } = story;
    for (const event of [checked(), started()]) expect(story.tell(event)).toEqual([]);
    expect(story.life).toEqual(life);
  });

  test("goes on with a check once another one was brought", () => {
    const story = lost();
    story.tell(failedCheck(refused));
    const event: LifeEvent = { kind: "unseal server ended", exitCode: 0, failures: [] };
    expect(summary(story.tell(event, { hasToken: true }))).toEqual([
      ...["info: unsealed", "open health port", "phase running", "wait 0"],
    ]);
    expect(summary(story.tell(time))).toEqual(["check"]);
  });

  test("is waited for again if an unseal server fails", () => {
    const story = lost();
    story.tell(failedCheck(refused));
    const event: LifeEvent = { kind: "unseal server ended", exitCode: 1, failures: [outage] };
    expect(summary(story.tell(event, { hasToken: false }))).toEqual([
      ...["error: connect: refused", "wait 1000"],
    ]);
    expect(summary(story.tell(time))).toEqual(["serve unseal"]);
    story.tell(event);
    expect(summary(story.tell(time, { hasToken: true }))).toEqual([
      ...["info: unsealed", "open health port", "phase running", "wait 0"],
    ]);
  });

  test("ends the waiting with the program", () => {
    const story = lost();
    story.tell(failedCheck(refused));
    expect(summary(story.tell(ends(0)))[0]).toBe("cancel");
  });

  test("leaves the program alone if no token could be kept", () => {
    const story = lost({ memory: "memfd" });
    story.tell(failedCheck(refused));
    const event: LifeEvent = {
      kind: "unseal server ended",
      exitCode: 1,
      failures: [noLockedMemory],
    };
    expect(summary(story.tell(event, { hasToken: false }))).toEqual([
      "give up for MEMORY_LOCK_LIMIT",
    ]);
    expect(story.life.applicationRuns).toBe(true);
    expect(story.tell(ends(0))).toEqual([]);
  });
});
