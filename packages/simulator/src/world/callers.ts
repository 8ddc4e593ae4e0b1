import { Random } from "../machine/random.ts";
import type { OperatorOutage, OperatorPlan } from "./operator-plan.ts";
import type { Action, Planned, Scenario } from "./scenario.ts";

/** Begins the random numbers of callers. */
const CALLERS = 0xca11;
/** The wrapper rotates without a permit after it has waited for ten minutes, and within ten more. */
const LONG_AWAY_MS = 1_320_000;

/** Adds callers that ask for checks: the operator, clients, and the file of an annotation. */
export function callersOf(scenario: Scenario): Scenario {
  // By a generator apart, so that the other parts of each seed stay.
  const random = new Random(scenario.seed * 9403 + CALLERS);
  const { errand, settings } = scenario;
  const isAlone = errand !== undefined || settings["SVC_SUPERVISE"] === "never";
  if (isAlone || !random.chance(0.3)) return scenario;
  const base = random.chance(0.6) ? calmed(scenario, random) : scenario;
  const { stopAtMs } = base;
  const operator = random.chance(0.7) ? operatorPlan(base, random) : undefined;
  const added = Array.from({ length: random.between(0, 12) }, () => ({
    ...(random.chance(0.2) ? ({ kind: "change" } as const) : call(random)),
    atMs: random.between(0, stopAtMs),
  }));
  const actions: readonly Planned[] = [...base.actions, ...added];
  const called: Scenario = {
    ...base,
    ...(operator && { operator }),
    hasRefreshFile: random.chance(0.7),
    settings: {
      ...base.settings,
      SVC_HINTED_INTERVAL: `${random.between(5, 60)}s`,
      SVC_ROTATION_DRAIN: random.pick(["0s", "0s", "1s", "3s"]),
    },
    actions: actions.toSorted((one, other) => one.atMs - other.atMs),
  };
  return random.chance(0.01) ? longAway(called) : called;
}

function call(random: Random): Action {
  switch (random.between(0, 5)) {
    case 0:
      return { kind: "look at the check" };
    case 1:
      return { kind: "touch refresh file" };
    case 2:
      return { kind: "flood of hints", count: random.between(2, 12) };
    default:
      return { kind: "ask for a check" };
  }
}

/** Nothing disturbs the wrapper: then the promises about checks say the most. */
function calmed(scenario: Scenario, random: Random): Scenario {
  const { actions, programs, login, settings, stopAtMs } = scenario;
  const { behind: _, refusals: __, programKill: ___, ...rest } = scenario;
  const interval = random.pick([random.between(1, 5), random.between(5, 20), 150]);
  return {
    ...rest,
    login: login.kind === "file" ? login : { kind: "token" },
    settings: {
      ...settings,
      ...{ RENEWAL_INTERVAL: `${interval}s`, SVC_STALE_AFTER: "400s" },
    },
    stopAtMs: Math.max(stopAtMs, random.between(5000, 90_000)),
    outages: [],
    floods: [],
    actions: actions.filter(({ kind }) => kind === "change"),
    disturbance: { ...scenario.disturbance, refusal: 0, courierEnd: 0, programEnd: 0, signal: 0 },
    programs: programs.map(({ exits: _exits, ...program }) => program),
  };
}

function operatorPlan({ stopAtMs }: Scenario, random: Random): OperatorPlan {
  const sometimes = (part: number) => (random.chance(0.4) ? part : 0);
  const outages = random.chance(0.4) ? [outage(random, stopAtMs)] : [];
  const hintEveryMs = random.pick([2000, 5000, 30_000]);
  return {
    hints: random.pick(["said", "said", "said", "refused", "off"]),
    waits: random.pick([0, 0, 1, 3, "for ever"]),
    outages,
    slowestMs: random.pick([2, 20, 400, 7000]),
    hintEveryMs,
    validMs: random.pick([2.5 * hintEveryMs, 75_000, 900_000_000]),
    lost: sometimes(0.3),
    late: sometimes(0.3),
    forged: sometimes(0.5),
    ...(random.chance(0.1) && { lies: true }),
  };
}

function outage(random: Random, stopAtMs: number): OperatorOutage {
  const fromMs = random.chance(0.4) ? 0 : random.between(0, stopAtMs);
  const kind = random.pick(["refused", "silent", "unavailable", "garbage"] as const);
  return { fromMs, toMs: fromMs + random.between(10, 60_000), kind };
}

/** The operator is away until the wrapper rotates without it. Few checks come, so that it is quick. */
function longAway(scenario: Scenario): Scenario {
  const { operator } = scenario;
  if (operator === undefined) return scenario;
  return {
    ...calmed(scenario, new Random(scenario.seed)),
    operator: { ...operator, outages: [{ fromMs: 0, toMs: 2 * LONG_AWAY_MS, kind: "refused" }] },
    settings: { ...scenario.settings, RENEWAL_INTERVAL: "20s", SVC_ROTATION: "restart" },
    actions: [{ kind: "change", atMs: 1000 }],
    stopAtMs: LONG_AWAY_MS,
  };
}
