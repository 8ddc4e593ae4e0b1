import { describe, expect, test } from "bun:test";
import { failure } from "../errors.ts";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import type { LifeContext, LifeEvent, NoProgram } from "./life.ts";
import {
  begin,
  checked,
  noLockedMemory,
  outage,
  refused,
  running,
  Story,
  secrets,
  started,
  summary,
  time,
} from "./testdata/story.ts";

const kubernetes = settingsOf(least);
const givenToken = settingsOf({ ...least, VAULT_AUTH_ROLE: "" }, { tokenPresent: true });
const unsealed = settingsOf({ ...least, VAULT_AUTH_ROLE: "", VAULT_AUTH_METHOD: "token" });
const restarting = settingsOf({ ...least, SVC_RESTART: "always" });
const locked = settingsOf({ ...least, SVC_REQUIRE_MLOCK: "true" });

const outdated = failure("SECRET_OUTDATED", "read secret/data/app: older");
const noToken = { hasToken: false } as const;
const failedStart = (...failures: readonly (typeof outage)[]): LifeEvent => ({
  kind: "start ended",
  outcome: { kind: "failed", failures },
});
const startEnds = (outcome: NoProgram): LifeEvent => ({ kind: "start ended", outcome });
const ends = (exitCode: number, signal?: number): LifeEvent => ({
  kind: "program ended",
  ending: { exitCode, ...(signal !== undefined && { signal }) },
});
const SIGINT = { kind: "signal", signal: 2 } as const;
const SIGTERM = { kind: "signal", signal: 15 } as const;
const cleared = { kind: "cleared" } as const;
const unsealServerEnds = (...failures: readonly (typeof outage)[]): LifeEvent => ({
  kind: "unseal server ended",
  exitCode: 0,
  failures,
});
const killed = { kind: "died", ending: { exitCode: 137, signal: 9 } } as const;
const sealedPhase = "phase sealed: POST /v1/unseal has to bring a token";
const fetching = "phase starting: the secrets are being fetched";

describe("the beginning", () => {
  test("follows the courier that is under way, even without a token", () => {
    const story = new Story(unsealed, noToken);
    expect(summary(story.tell(begin))).toEqual([fetching, "start program"]);
    expect(story.life.stage).toEqual({ kind: "beginning" });
  });

  test("waits for a token if none is there and one can be brought", () => {
    const story = new Story(unsealed, noToken);
    const effects = story.tell({ kind: "begin", isUnderWay: false });
    expect(summary(effects)).toEqual([
      ...["close health port", sealedPhase, "give token up", "serve unseal"],
    ]);
    expect(story.life.stage).toEqual({ kind: "sealed" });
  });

  test("starts a program if a token cannot be brought", () => {
    const story = new Story(kubernetes, noToken);
    const effects = story.tell({ kind: "begin", isUnderWay: false });
    expect(summary(effects)).toEqual([fetching, "start program"]);
  });

  test("ends with the effects for a program that runs", () => {
    const story = new Story(kubernetes);
    story.tell(begin);
    expect(summary(story.tell(started()))).toEqual([
      ...["open health port", "follow program", "measure protection", "phase running", "wait 1000"],
    ]);
    const { hasRun, applicationRuns, counts, knowledge } = story.life;
    expect({ hasRun, applicationRuns }).toEqual({ hasRun: true, applicationRuns: true });
    expect(counts.delivery).toEqual({ method: "inject", memory: "memfd_secret" });
    expect(knowledge?.digest).toBe("digest");
  });
});

describe("a start that comes to nothing", () => {
  const rows: readonly (readonly [
    name: string,
    context: Partial<LifeContext>,
    event: LifeEvent,
    effects: readonly string[],
  ])[] = [
    ["for a failure exits with it", {}, failedStart(outage), ["clear away"]],
    [
      "for too little locked memory is tried again with ordinary memory",
      {},
      failedStart(noLockedMemory),
      [
        "degrade memory: RLIMIT_MEMLOCK is 0",
        "warn: degraded: secrets are in ordinary memory: RLIMIT_MEMLOCK is 0",
        "start program",
      ],
    ],
    [
      "for too little locked memory is not tried a third time",
      { memory: "memfd" },
      failedStart(noLockedMemory),
      ["clear away"],
    ],
    [
      "for too little locked memory exits if it has to be locked",
      { settings: locked },
      failedStart(noLockedMemory),
      ["clear away"],
    ],
    [
      "for a token of VAULT_TOKEN that is wrong exits",
      { settings: givenToken },
      failedStart(refused),
      ["clear away"],
    ],
    [
      "for a token that was brought waits for another one",
      { settings: unsealed },
      failedStart(refused),
      [
        ...["error: 403", "give token up", "close health port", sealedPhase],
        ...["give token up", "serve unseal"],
      ],
    ],
    [
      "for a token that was brought and another failure waits for another one, too",
      { settings: unsealed },
      failedStart(outage, refused),
      [
        ...["error: connect: refused", "error: 403", "give token up", "close health port"],
        ...[sealedPhase, "give token up", "serve unseal"],
      ],
    ],
    [
      "for an outage of a vault does not give the token up",
      { settings: unsealed },
      failedStart(outage),
      ["clear away"],
    ],
    [
      "for a signal exits as that",
      {},
      startEnds({ kind: "died", ending: { exitCode: 143, signal: 15 } }),
      ["warn: ended before the program was started", "clear away"],
    ],
    [
      "for no reason exits",
      {},
      startEnds({ kind: "died", ending: { exitCode: 0 } }),
      ["clear away"],
    ],
  ];
  for (const [name, context, event, effects] of rows) {
    test(name, () => {
      const story = new Story(kubernetes, context);
      story.tell(begin);
      expect(summary(story.tell(event))).toEqual([...effects]);
    });
  }

  const exits: readonly (readonly [name: string, event: LifeEvent, exit: string])[] = [
    [
      "with the failures",
      failedStart(outage, noLockedMemory),
      "exit for VAULT_FAILED, MEMORY_LOCK_LIMIT",
    ],
    [
      "with 128 and the signal",
      startEnds({ kind: "died", ending: { exitCode: 143, signal: 15 } }),
      "exit 143",
    ],
    [
      "with another message for a courier that said nothing",
      startEnds({ kind: "died", ending: { exitCode: 1 } }),
      "exit for COURIER_ENDED",
    ],
    [
      "with that message for a courier that wrongly left a program alone",
      startEnds({ kind: "unchanged", state: { watched: [], leases: [], digest: "" } }),
      "exit for COURIER_ENDED",
    ],
  ];
  for (const [name, event, exit] of exits) {
    test(`exits ${name}, once all is cleared away`, () => {
      const story = new Story(locked);
      story.tellAll(begin, event);
      expect(summary(story.tell(cleared))).toEqual(["close health port", exit]);
    });
  }
});

describe("sealed mode", () => {
  const sealed = (context: Partial<LifeContext> = {}): Story => {
    const story = new Story(unsealed, { ...noToken, ...context });
    story.tell({ kind: "begin", isUnderWay: false });
    return story;
  };

  test("ends once a token was brought", () => {
    const effects = sealed().tell(unsealServerEnds(), { hasToken: true });
    expect(summary(effects)).toEqual(["info: unsealed", fetching, "start program"]);
  });

  test("goes on after a pause if an unseal server fails", () => {
    const story = sealed();
    expect(summary(story.tell(unsealServerEnds(outage)))).toEqual([
      ...["error: connect: refused", "wait 1000"],
    ]);
    expect(summary(story.tell(time))).toEqual(["serve unseal"]);
  });

  test("says how an unseal server ended that said nothing", () => {
    const effects = sealed().tell({ kind: "unseal server ended", exitCode: 137, failures: [] });
    expect(summary(effects)).toEqual(["error: the unseal server has ended with 137", "wait 1000"]);
  });

  test("ends in the pause when a token is there after all", () => {
    const story = sealed();
    story.tell(unsealServerEnds(outage));
    const effects = story.tell(time, { hasToken: true });
    expect(summary(effects)).toEqual(["info: unsealed", fetching, "start program"]);
  });

  test("uses ordinary memory if too little can be locked, at once", () => {
    expect(summary(sealed().tell(unsealServerEnds(noLockedMemory)))).toEqual([
      "degrade memory: RLIMIT_MEMLOCK is 0",
      "warn: degraded: secrets are in ordinary memory: RLIMIT_MEMLOCK is 0",
      "serve unseal",
    ]);
  });

  test("starts the program if the token came with that failure", () => {
    const effects = sealed().tell(unsealServerEnds(noLockedMemory), { hasToken: true });
    expect(summary(effects).slice(-3)).toEqual(["info: unsealed", fetching, "start program"]);
  });

  test("gives up if no token could be kept", () => {
    const story = sealed({ memory: "memfd" });
    expect(summary(story.tell(unsealServerEnds(outage, noLockedMemory)))).toEqual([
      "give up for MEMORY_LOCK_LIMIT",
    ]);
    expect(story.tell(time)).toEqual([]);
  });

  test("is left by a signal, and exits as it", () => {
    const story = sealed();
    expect(summary(story.tell(SIGINT))).toEqual([
      ...["cancel", "warn: ended while the program was not running"],
      ...["phase stopped: the wrapper was asked to end", "clear away"],
    ]);
    expect(summary(story.tell(cleared))).toEqual(["close health port", "exit 130"]);
  });

  test("ignores events of other stages", () => {
    const story = sealed();
    const { life } = story;
    for (const event of [checked(), started(), ends(0), cleared]) {
      expect(story.tell(event)).toEqual([]);
    }
    expect(story.life).toEqual(life);
  });
});

describe("a program that ends", () => {
  test("ends the wrapper with its exit code", () => {
    const story = running(kubernetes);
    expect(summary(story.tell(ends(3)))).toEqual([
      ...["cancel", "release program", "phase stopped: the program has ended"],
      "clear away, leftovers within 25000",
    ]);
    expect(story.life.applicationRuns).toBe(false);
    expect(summary(story.tell(cleared))).toEqual(["close health port", "exit 3"]);
  });

  test("leaves the rest of SVC_STOP_GRACE to its leftovers", () => {
    const effects = running(kubernetes, { stoppingForMs: 10_000 }).tell(ends(143, 15));
    expect(summary(effects).at(-1)).toBe("clear away, leftovers within 15000");
  });

  test("does not wait for leftovers if a signal comes, and keeps its exit code", () => {
    const story = running(kubernetes);
    story.tell(ends(3));
    expect(summary(story.tell(SIGTERM))).toEqual(["hurry"]);
    expect(summary(story.tell(cleared))).toEqual(["close health port", "exit 3"]);
  });

  const asked: readonly (readonly [
    name: string,
    end: LifeEvent,
    fromOutside: LifeContext["fromOutside"],
    startsAgain: boolean,
  ])[] = [
    ["with 0 after the runtime's SIGQUIT", ends(0), { signal: 3, agoMs: 900 }, false],
    ["by the runtime's SIGUSR1", ends(138, 10), { signal: 10, agoMs: 900 }, false],
    ["with 128 + 2 after the runtime's SIGINT", ends(130), { signal: 2, agoMs: 900 }, false],
    ["with 1 after the runtime's SIGHUP", ends(1), { signal: 1, agoMs: 900 }, true],
    ["with 0 long after the runtime's SIGHUP", ends(0), { signal: 1, agoMs: 25_001 }, true],
    ["with 0 without a signal", ends(0), undefined, true],
  ];
  for (const [name, end, fromOutside, startsAgain] of asked) {
    test(`${name} ${startsAgain ? "is started again" : "is not started again"}`, () => {
      const effects = summary(running(restarting, { fromOutside }).tell(end));
      expect(effects.some((effect) => effect.startsWith("wait"))).toBe(startsAgain);
      expect(effects.some((effect) => effect.startsWith("clear away"))).toBe(!startsAgain);
    });
  }

  const levels: readonly (readonly [
    name: string,
    restarts: readonly LifeEvent[],
    level: string,
  ])[] = [
    ["for the first time tells its own end", [], "debug"],
    ["after a crash is reported", [ends(1), time, started()], "info"],
  ];
  for (const [name, before, level] of levels) {
    test(name, () => {
      const story = running(restarting);
      story.tellAll(...before);
      const effects = story.tell(ends(0), { isStopping: true });
      const found = effects.find((effect) => effect.kind === "log");
      expect(found).toMatchObject({ level, message: "the program has ended" });
    });
  }

  test("is started again by SVC_RESTART, after a pause that grows", () => {
    const story = running(restarting, { nowMs: 500 });
    expect(summary(story.tell(ends(1)))).toEqual([
      ...["cancel", "release program"],
      "phase restarting: the program has ended and is started again",
      ...["warn: the program has ended: it is started again", "kill leftovers", "wait 1000"],
    ]);
    expect(summary(story.tell(time))).toEqual([fetching, "start program"]);
    expect(story.life.counts.applicationRestarts).toEqual({ rotation: 0, crash: 1 });
    story.tell(started());
    expect(summary(story.tell(ends(1))).at(-1)).toBe("wait 2000");
  });

  test("is started again with no older versions, unless there are no others for a minute", () => {
    const story = running(restarting, { nowMs: 500 });
    story.tell(ends(1));
    const notBefore = secrets.watched;
    expect(story.tell(time).at(-1)).toEqual({ kind: "start program", notBefore });
    const effects = story.tell(failedStart(outdated), { nowMs: 1000 });
    expect(summary(effects)).toEqual([
      "warn: the program is not started yet: read secret/data/app: older",
      "wait 1000",
    ]);
    const again = story.tell(time, { nowMs: 2000 });
    expect(again.at(-1)).toEqual({ kind: "start program", notBefore });
    story.tell(failedStart(outdated), { nowMs: 61_000 });
    expect(story.tell(time, { nowMs: 61_001 }).at(-1)).toEqual({ kind: "start program" });
    expect(story.life.counts.applicationRestarts).toEqual({ rotation: 0, crash: 1 });
  });

  test("begins with a short pause again once it has run for long", () => {
    const story = running(restarting, { nowMs: 60_000 });
    expect(story.tell(ends(1)).at(-1)).toEqual({ kind: "wait", ms: 1000 });
    story.tellAll(time, started({ startedAtMs: 60_000 }));
    const again = story.tell(ends(1), { nowMs: 60_001 });
    expect(again.at(-1)).toEqual({ kind: "wait", ms: 2000 });
    story.tellAll(time, started({ startedAtMs: 60_001 }));
    const late = story.tell(ends(1), { nowMs: 60_001 + 300_001 });
    expect(late.at(-1)).toEqual({ kind: "wait", ms: 1000 });
  });

  test("is reported if it has had new values by SIGHUP", () => {
    const sighup = settingsOf({ ...least, SVC_ROTATION: "sighup" });
    const story = running(sighup, { nowMs: 600_000 });
    story.tellAll(time, checked({ changed: true }), time);
    const state = { watched: [], leases: [], digest: "" };
    story.tell({ kind: "rotation ended", outcome: { kind: "refreshed", state } });
    const line = story.tell(ends(0)).find((effect) => effect.kind === "log");
    expect(line).toMatchObject({ level: "info" });
  });

  test("is started again only after a token was brought, if it has died", () => {
    const story = running(
      settingsOf({ ...least, VAULT_AUTH_ROLE: "", SVC_RESTART: "always" }, { tokenPresent: true }),
    );
    story.tell(ends(1));
    expect(summary(story.tell(time, noToken))).toContain("serve unseal");
    expect(story.life.stage.kind).toBe("sealed");
  });

  test("ends the wrapper if a signal comes in the pause", () => {
    const story = running(restarting);
    story.tell(ends(1));
    expect(summary(story.tell(SIGTERM)).slice(0, 2)).toEqual([
      ...["cancel", "warn: ended while the program was not running"],
    ]);
    expect(story.tell(time)).toEqual([]);
    expect(summary(story.tell(cleared))).toEqual(["close health port", "exit 143"]);
  });
});

describe("an event of another stage", () => {
  const all = [begin, time, started(), checked(), unsealServerEnds(), ends(0), cleared];
  const rows: readonly (readonly [
    stage: string,
    story: () => Story,
    heard: readonly LifeEvent[],
  ])[] = [
    [
      "the beginning",
      () => {
        const story = new Story(restarting);
        story.tell(begin);
        return story;
      },
      [begin, started()],
    ],
    [
      "the pause before a restart",
      () => {
        const story = running(restarting);
        story.tell(ends(1));
        return story;
      },
      [time],
    ],
    ["a program that runs", () => running(restarting), [time, ends(0)]],
  ];
  for (const [stage, story, heard] of rows) {
    test(`changes nothing in ${stage}`, () => {
      const kinds = new Set(heard.map(({ kind }) => kind));
      for (const event of all.filter(({ kind }) => !kinds.has(kind))) {
        const told = story();
        const { life } = told;
        expect({ event: event.kind, effects: told.tell(event) }).toEqual({
          ...{ event: event.kind, effects: [] },
        });
        expect(told.life).toEqual(life);
      }
    });
  }
});

describe("a signal while the wrapper ends", () => {
  test("ends a wrapper at once that ends by a signal", () => {
    const story = new Story(kubernetes);
    story.tellAll(begin, SIGTERM);
    expect(summary(story.tell(SIGINT))).toEqual(["exit 130"]);
  });

  test("replaces the failures of a start, and does not end it at once", () => {
    const story = new Story(kubernetes);
    story.tellAll(begin, failedStart(outage));
    expect(story.tell(SIGTERM)).toEqual([]);
    expect(summary(story.tell(SIGINT))).toEqual(["exit 130"]);
    expect(summary(story.tell(cleared))).toEqual(["close health port", "exit 143"]);
  });

  test("is the only event that counts, except for the end", () => {
    const story = new Story(kubernetes);
    story.tellAll(begin, SIGTERM);
    for (const event of [started(), time, unsealServerEnds(), ends(0), failedStart(outage)]) {
      expect(story.tell(event)).toEqual([]);
    }
  });
});

describe("a courier that was killed when the old program had ended for it", () => {
  const lost = (context: Partial<LifeContext>, outcome: NoProgram): readonly string[] => {
    const story = running(kubernetes, { nowMs: 60_000, ...context });
    story.tellAll(time, checked({ changed: true }), time, ends(0));
    return summary(story.tell({ kind: "rotation ended", outcome: { kind: "lost", outcome } }));
  };

  test("is followed by another one", () => {
    expect(lost({}, killed)).toEqual([
      "release program",
      "error: the courier was killed when the old program had ended for it: starting another one",
      ...[fetching, "start program"],
    ]);
  });

  test("is the end if the wrapper was asked to end", () => {
    expect(lost({ isStopping: true }, killed).at(-1)).toBe("clear away, leftovers within 0");
  });

  test("is the end if it failed by itself", () => {
    expect(lost({}, { kind: "failed", failures: [outage] })).toEqual([
      ...["release program", "clear away, leftovers within 0"],
    ]);
  });

  test("is the end if another signal ended it", () => {
    const ending = { exitCode: 143, signal: 15 };
    expect(lost({}, { kind: "died", ending })).toEqual([
      ...["release program", "warn: ended before the program was started"],
      "clear away, leftovers within 0",
    ]);
  });
});

describe("what is observed", () => {
  test("is counted, in every stage", () => {
    const story = new Story(kubernetes);
    const observe = (observation: Extract<LifeEvent, { kind: "observed" }>["observation"]) =>
      summary(story.tell({ kind: "observed", observation }));
    expect(observe({ kind: "login" })).toEqual([]);
    expect(observe({ kind: "unseal attempt", result: "refused" })).toEqual([]);
    expect(observe({ kind: "unprotected program" })).toEqual(["say protection"]);
    expect(observe({ kind: "agent", agent: { connected: true, tier: "enforce" } })).toEqual([
      "say protection",
    ]);
    const ready = { kind: "program ready", startTookMs: 1234.5 } as const;
    expect(observe(ready)).toEqual(["info: the program is ready"]);
    expect(story.life.startTookMs).toBe(1234.5);
    expect(story.life.counts).toMatchObject({
      logins: 1,
      unprotectedPrograms: 1,
      unsealAttempts: { refused: 1, accepted: 0 },
      agent: { connected: true, tier: "enforce" },
    });
  });

  test("tells systemd of another reason for the same phase", () => {
    const story = new Story(kubernetes);
    const of = (reason: string): LifeEvent => ({
      kind: "observed",
      observation: { kind: "phase", phase: { kind: "starting", reason } },
    });
    story.tell(of("one"));
    expect(summary(story.tell(of("another")))).toEqual(["phase starting: another"]);
  });

  test("tells systemd of a phase once", () => {
    const story = new Story(kubernetes);
    const phase = { kind: "starting", reason: "the program is being registered" } as const;
    const event: LifeEvent = { kind: "observed", observation: { kind: "phase", phase } };
    expect(summary(story.tell(event))).toEqual([`phase starting: ${phase.reason}`]);
    expect(story.tell(event)).toEqual([]);
  });
});
