import type { SaidHint } from "../world/operator.ts";
import type { OperatorPlan } from "../world/operator-plan.ts";
import type { Scenario } from "../world/scenario.ts";
import type { World } from "../world/world.ts";
import { versionOf } from "./delivery.ts";
import type { Invariant } from "./invariant.ts";
import { askingSeconds, isUndisturbed, secondsOf } from "./undisturbed.ts";

const SECOND_US = 1_000_000;
/** The checks that may be asked for at once; 0135. */
const AT_ONCE = 3;
/** A hint may cause a check by itself each ten seconds, or more often with a short interval; 0136. */
const HINT_PACE_S = 10;
/** A check's own time, that of a question to the operator, and the pause of a look at the file. */
const CHECK_US = 20 * SECOND_US;
/** A request is taken some microseconds after it was sent. */
const TOLERANCE = 0.01;
/** The look at the file comes each three seconds, and a check is under way for some time. */
const EARLIER_US = 10 * SECOND_US;

/** The promises about checks that clients ask for, and about hints of the operator. */
export const callerInvariants: readonly Invariant[] = [
  {
    name: "checks by request in a budget",
    promise: "Three checks may be asked for at once, and then one in each RENEWAL_INTERVAL.",
    atEnd: true,
    broken({ health: { checks }, scenario }) {
      const taken = checks.filter(({ status }) => status === 202).map(({ atUs }) => atUs);
      return overBudget(taken, secondsOf(scenario, "RENEWAL_INTERVAL"), scenario);
    },
  },
  {
    name: "answers about checks",
    promise:
      "POST /v1/check takes a check, says that none is possible, or that there are too many.",
    atEnd: true,
    broken({ health: { checks } }) {
      const known = [undefined, 200, 202, 429];
      const found = checks.find(({ status }) => !known.includes(status));
      return found && `it answers ${found.status}`;
    },
  },
  {
    name: "a hint by its key alone",
    promise: "A hint that is forged, or that has come before, is refused.",
    broken({ operator: { hints } }) {
      const last = hints.findLast(({ status }) => status !== undefined);
      if (last === undefined || last.status === 403 || last.status === 503) return undefined;
      if (!last.isGenuine) return `one with a wrong MAC has the answer ${last.status}`;
      const isOlder = hints.some((one) => isTaken(one) && one !== last && isBehind(last, one));
      return isOlder
        ? `hint ${last.sequence} is old, and has the answer ${last.status}`
        : undefined;
    },
  },
  {
    name: "checks by hints in a budget",
    promise: "Hints cause three checks at once, and then one in ten seconds or RENEWAL_INTERVAL.",
    atEnd: true,
    broken({ operator: { hints }, scenario }) {
      const taken = hints.filter(({ news, status }) => news === "changed" && status === 200);
      const pace = Math.min(HINT_PACE_S, secondsOf(scenario, "RENEWAL_INTERVAL"));
      return overBudget(
        taken.map(({ atUs }) => atUs),
        pace,
        scenario,
      );
    },
  },
  {
    name: "checks come",
    promise: "No hint, no permit and no request puts a check off for longer than is documented.",
    broken(world) {
      const { scenario, machine, starts, looks, stoppedAtUs, program } = world;
      if (program === undefined || stoppedAtUs !== undefined) return undefined;
      if (!isUndisturbed(scenario) || scenario.settings["SVC_ROTATION"] === "none")
        return undefined;
      const lastUs = Math.max(looks.at(-1) ?? 0, starts.at(-1)?.atUs ?? 0);
      const tookUs = machine.nowUs - lastUs;
      const intervalUs = secondsOf(scenario, "RENEWAL_INTERVAL") * SECOND_US;
      const waitUs = CHECK_US + secondsOf(scenario, "SVC_STOP_GRACE") * SECOND_US;
      const ownUs = 1.1 * intervalUs + waitUs;
      if (tookUs <= ownUs) return undefined;
      const { freshUntilUs, hintedUs } = freshnessOf(world);
      // A fleet spreads over the interval once hints have stopped.
      const sinceUs = machine.nowUs - Math.max(lastUs, freshUntilUs);
      if (tookUs <= 1.5 * hintedUs + waitUs && sinceUs <= ownUs + intervalUs) return undefined;
      return `the last one was ${Math.round(tookUs / SECOND_US)} s ago`;
    },
  },
  {
    name: "one check in an interval",
    promise:
      "A path is checked once in an interval, unless a hint, a request or a start explains it.",
    broken(world) {
      const { scenario, looks } = world;
      const [before, last] = [looks.at(-2), looks.at(-1)];
      if (before === undefined || last === undefined || !isUndisturbed(scenario)) return undefined;
      const leastUs = 0.9 * secondsOf(scenario, "RENEWAL_INTERVAL") * SECOND_US;
      if (last - before >= leastUs || isExplained(world, before, last)) return undefined;
      return `the last two were ${(last - before) / SECOND_US} s apart`;
    },
  },
  {
    name: "news are followed at once",
    promise: "After a hint or a request the program has the new version, and waits for no check.",
    broken(world) {
      const { scenario, starts, machine, stoppedAtUs, program } = world;
      const { operator, settings } = scenario;
      const last = starts.at(-1);
      const isPossible = settings["SVC_ROTATION"] === "restart" && last !== undefined;
      if (!isPossible || program === undefined || stoppedAtUs !== undefined) return undefined;
      if (!isUndisturbed(scenario) || (operator && !isKind(operator))) return undefined;
      const dueUs = machine.nowUs - longestWayUs(world);
      const newest = newestTold(world, dueUs);
      const found = versionOf(last) ?? 0;
      return found < newest ? `it has version ${found}, and not ${newest}` : undefined;
    },
  },
];

/** It gives permits. */
function isKind({ waits, outages }: OperatorPlan): boolean {
  return waits !== "for ever" && outages.length === 0;
}

/** The newest version of which a hint or a request that was taken has told before that time. */
function newestTold({ operator, health }: World, beforeUs: number): number {
  const hints = operator.hints.filter(({ news, status }) => news === "changed" && status === 200);
  const asked = health.checks.filter(({ status }) => status === 202);
  const told = [...hints, ...asked].filter(({ atUs }) => atUs < beforeUs);
  return Math.max(0, ...told.map(({ newest }) => newest));
}

/** From a request to a program with the new version. */
function longestWayUs({ scenario }: World): number {
  const pauses = ["SVC_ROTATION_SPLAY", "SVC_ROTATION_DEBOUNCE", "SVC_ROTATION_MIN_INTERVAL"];
  const others = ["SVC_STOP_GRACE", "SVC_ROTATION_DRAIN"];
  const seconds = [...pauses, ...others].map((name) => secondsOf(scenario, name));
  const rotation = seconds.reduce((sum, one) => sum + one, askingSeconds(scenario.operator));
  // Two rotations, as the first one may have begun before the change.
  return 2 * (rotation * SECOND_US + CHECK_US);
}

const isTaken = ({ status }: SaidHint) => status === 200 || status === 429;

/** A hint came behind one of the same key that was said later, or is the same. */
function isBehind(hint: SaidHint, other: SaidHint): boolean {
  return other.key === hint.key && other.sequence >= hint.sequence && other.atUs <= hint.atUs;
}

/** @param pace the seconds in which one more may come */
function overBudget(
  times: readonly number[],
  pace: number,
  { freeze }: Scenario,
): string | undefined {
  // Requests that came within that time are taken behind it.
  if (freeze !== undefined) return undefined;
  for (const [first, fromUs] of times.entries()) {
    for (const [further, toUs] of times.slice(first).entries()) {
      const seconds = (toUs - fromUs) / SECOND_US;
      if (further + 1 > AT_ONCE + seconds / pace + TOLERANCE) {
        return `${further + 1} came within ${seconds} s`;
      }
    }
  }
  return undefined;
}

/** Until when hints say that the secrets are the newest, and the mean pause between checks then. */
function freshnessOf({ operator, scenario }: World) {
  const seconds = (name: string) => secondsOf(scenario, name);
  const calm = Math.min(seconds("SVC_HINTED_INTERVAL"), seconds("SVC_STALE_AFTER") / 2);
  const hintedUs = Math.max(calm, seconds("RENEWAL_INTERVAL")) * SECOND_US;
  const untils = operator.hints
    .filter(({ news, status }) => news === "fresh" && status === 200)
    .map(({ atUs, validMs }) => atUs + Math.min(validMs * 1000, hintedUs));
  return { hintedUs, freshUntilUs: Math.max(0, ...untils) };
}

/** Whether something asked for a check, or a program began, between two looks or shortly before. */
function isExplained(world: World, beforeUs: number, lastUs: number): boolean {
  const { starts, operator, health, touchedAtUs } = world;
  const { freshUntilUs } = freshnessOf(world);
  const causes = [
    ...starts.map(({ atUs }) => atUs),
    ...operator.hints.filter(isTaken).map(({ atUs }) => atUs),
    ...health.checks.filter(({ status }) => status === 202).map(({ atUs }) => atUs),
    ...touchedAtUs,
    freshUntilUs,
  ];
  return causes.some((atUs) => beforeUs - EARLIER_US < atUs && atUs <= lastUs);
}
