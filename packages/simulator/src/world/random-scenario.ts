import { Random } from "../machine/random.ts";
import type { AgentPlan } from "./agent.ts";
import { type Errand, type ErrandName, errands } from "./errands.ts";
import type { Behaviour } from "./model-program.ts";
import type { Action, Disturbance, Flood, Login, Outage, Planned, Scenario } from "./scenario.ts";

const [SIGHUP, SIGUSR1, SIGTERM, SIGKILL, SIGSTOP, SIGCONT] = [1, 10, 15, 9, 19, 18] as const;
const REAL_TIME = 40;

/** Begins the random numbers of floods. */
const FLOODS = 0x5eed;

/** Begins the random numbers of rare starts. */
const STARTS = 0xcafe;

/** A scenario of random parts. */
export function randomScenario(seed: number): Scenario {
  // By a generator apart, so that the other seeds stay.
  const random = new Random(seed * 6271 + STARTS);
  const common = commonScenario(seed);
  const rare = ["errand", "hand-over", "agent", "agent"] as const;
  const kind = random.chance(0.8) ? "common" : random.pick(rare);
  if (kind === "common") return common;
  if (kind === "agent") {
    const login = common.login.kind === "token" ? ({ kind: "file" } as const) : common.login;
    return { ...common, login, agent: agentOf(common, random) };
  }
  return kind === "errand" ? errandOf(common, random) : handOverOf(common);
}

function agentOf({ stopAtMs }: Scenario, random: Random): AgentPlan {
  let atMs = random.chance(0.3) ? 0 : random.between(0, stopAtMs);
  const outages = Array.from({ length: random.between(0, 3) }, () => {
    const fromMs = atMs;
    const toMs = fromMs + random.between(10, 20_000);
    atMs = toMs + random.between(1, 20_000);
    return { fromMs, toMs };
  });
  return {
    isRequired: random.chance(0.5),
    refuses: random.pick(["none", "none", "none", "none", "programs", "streams"]),
    outages,
    slowestMs: random.pick([2, 20, 400, 7000]),
  };
}

/** Nothing disturbs an errand: its answer is known. */
function errandOf(common: Scenario, random: Random): Scenario {
  const errand = random.pick(Object.keys(errands) as readonly ErrandName[]);
  const own: Errand = errands[errand];
  return {
    ...common,
    errand,
    login: { kind: "token" },
    settings: { ...common.settings, ...own.settings },
    outages: [],
    floods: [],
    actions: [],
    disturbance: { refusal: 0, courierEnd: 0, programEnd: 0, signal: 0, short: 0 },
    stopAtMs: 60_000,
  };
}

/** The wrapper becomes the program (SVC_SUPERVISE=never), which SIGTERM ends: no other part would. */
function handOverOf(common: Scenario): Scenario {
  const isMeant = (one: Planned) =>
    one.kind !== "unseal wrapper" && !(one.kind === "signal program" && one.number === SIGSTOP);
  return {
    ...common,
    login: common.login.kind === "sealed" ? { kind: "token" } : common.login,
    settings: {
      ...common.settings,
      ...{ SVC_SUPERVISE: "never", SVC_ROTATION: "none", SVC_RESTART: "never" },
    },
    floods: [],
    actions: common.actions.filter(isMeant),
    programs: common.programs.map((one) => ({ ...one, ignores: [] })),
  };
}

function commonScenario(seed: number): Scenario {
  const random = new Random(seed);
  const stopAtMs = random.between(200, 90_000);
  const times = (most: number) => Array.from({ length: random.between(0, most) });
  const outages = times(3).map(() => outage(random, stopAtMs));
  const login = loginOf(random);
  const planned = times(16).map(() => ({ ...action(random), atMs: random.between(0, stopAtMs) }));
  const actions = login.kind === "sealed" ? [...planned, ...tokens(random, stopAtMs)] : planned;
  return {
    seed,
    isFirstProcess: random.chance(0.5),
    settings: settings(random),
    login,
    slowestAnswerMs: random.pick([2, 20, 200, 3000]),
    outages,
    floods: floods(seed, stopAtMs),
    actions: actions.sort((one, other) => one.atMs - other.atMs),
    disturbance: disturbance(random),
    programs: Array.from({ length: random.between(1, 3) }, () => behaviour(random, 2)),
    stopAtMs,
  };
}

function disturbance(random: Random): Disturbance {
  const sometimes = (part: number) => (random.chance(0.3) ? part : 0);
  return {
    refusal: sometimes(random.pick([0.001, 0.01])),
    courierEnd: sometimes(0.001),
    programEnd: sometimes(0.0005),
    signal: sometimes(0.002),
    short: random.chance(0.5) ? 0.2 : 0,
  };
}

function loginOf(random: Random): Login {
  const kind = random.pick(["token", "kubernetes", "kubernetes", "sealed"] as const);
  return kind === "kubernetes" ? { kind, tokenMs: random.between(2, 60) * 1000 } : { kind };
}

/** Tokens for a sealed wrapper, most of them early. */
function tokens(random: Random, stopAtMs: number): readonly Planned[] {
  return Array.from({ length: random.between(0, 4) }, () => ({
    ...{ kind: "unseal wrapper", isRight: random.chance(0.6) },
    atMs: random.between(0, random.pick([2000, stopAtMs])),
  }));
}

function settings(random: Random): Readonly<Record<string, string>> {
  const seconds = (least: number, most: number) => `${random.between(least, most)}s`;
  return {
    SVC_ROTATION: random.pick(["restart", "restart", "restart", "sighup", "none"]),
    SVC_RESTART: random.pick(["never", "never", "on-failure", "always"]),
    RENEWAL_INTERVAL: seconds(1, random.pick([2, 5, 20])),
    SVC_ROTATION_SPLAY: seconds(0, 3),
    SVC_ROTATION_DEBOUNCE: seconds(0, 2),
    SVC_ROTATION_MIN_INTERVAL: seconds(0, 10),
    SVC_START_DEADLINE: seconds(1, 40),
    SVC_STOP_GRACE: seconds(1, 8),
    SVC_STALE_AFTER: seconds(60, 90),
    VAULT_CLIENT_TIMEOUT: seconds(1, 10),
    SVC_RESTART_MAX_DELAY: seconds(1, 20),
    SVC_LOG_LEVEL: random.pick(["info", "debug"]),
  };
}

function outage(random: Random, stopAtMs: number): Outage {
  const fromMs = random.chance(0.4) ? 0 : random.between(0, stopAtMs);
  return {
    fromMs,
    toMs: fromMs + random.between(10, 60_000),
    kind: random.pick(["refused", "silent", "closed", "unavailable", "limited", "garbage"]),
    part: random.pick([0.1, 0.5, 1]),
  };
}

/** By a generator apart, so that the other parts of each seed stay. */
function floods(seed: number, stopAtMs: number): readonly Flood[] {
  const random = new Random(seed * 7919 + FLOODS);
  if (!random.chance(0.06)) return [];
  // The stop comes in the midst of some.
  const latest = random.pick([3000, stopAtMs]);
  const fromMs = random.chance(0.5) ? Math.max(0, stopAtMs - 60) : random.between(0, latest);
  const kinds = ["signals", "orphans", "requests"] as const;
  const kept = kinds.filter(() => random.chance(0.5));
  return kept.map((kind) => ({ kind, fromMs, ms: random.between(60, 150) }));
}

function action(random: Random): Action {
  switch (random.between(0, 10)) {
    case 0:
    case 1:
    case 2:
    case 10:
      return { kind: "change" };
    case 3:
      return { kind: "revoke tokens" };
    case 4:
      return { kind: "signal", number: random.pick([SIGHUP, SIGUSR1, REAL_TIME, REAL_TIME + 1]) };
    case 5:
      return {
        kind: random.pick(["kill courier", "kill courier", "stop courier", "kill wrapper"]),
      };
    case 6:
      return { kind: "signal program", number: random.pick([SIGTERM, SIGKILL, SIGSTOP, SIGCONT]) };
    case 7:
      return { kind: "move clock", ms: random.pick([-3_600_000, -1000, 5000, 86_400_000]) };
    default:
      return { kind: random.pick(["seal", "unseal"]) };
  }
}

function behaviour(random: Random, depth: number): Behaviour {
  const us = (most: number) => random.between(0, most);
  const code = () => random.pick([0, 0, 1, 3, 77]);
  const children = depth === 0 ? 0 : random.pick([0, 0, 1, 2]);
  return {
    ignores: random.chance(0.15) ? [SIGTERM] : [],
    ...(random.chance(0.3) && {
      exits: { afterUs: us(random.pick([50_000, 60_000_000])), code: code() },
    }),
    ...(random.chance(0.6) && { endsOnTerm: { afterUs: us(3_000_000), code: code() } }),
    children: Array.from({ length: children }, () => behaviour(random, depth - 1)),
  };
}
