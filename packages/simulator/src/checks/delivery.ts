import type { Start } from "../world/observations.ts";
import { clockUs } from "../world/plan-time.ts";
import type { Scenario } from "../world/scenario.ts";
import { KEY } from "../world/secrets.ts";
import type { World } from "../world/world.ts";
import type { Invariant } from "./invariant.ts";
import { askingSeconds, secondsOf } from "./undisturbed.ts";

/** The version that a program was started with; undefined if its values are of none, or of two. */
export function versionOf({ environment }: Start): number | undefined {
  const user = /^user-canary-(\d+)\.$/.exec(environment.get("DB_USER") ?? "")?.[1];
  const password = /^password-canary-(\d+)\.$/.exec(environment.get("DB_PASSWORD") ?? "")?.[1];
  const isWhole = user === password && environment.get("API_KEY") === KEY;
  return user !== undefined && isWhole ? Number(user) : undefined;
}

/** Then the older values are those of a vault that was restored. */
const BEHIND_AT_MOST_US = 60_000_000;

const lastOf = ({ starts }: World) => starts.at(-1);

/** The promises about the values that programs get. */
export const deliveryInvariants: readonly Invariant[] = [
  {
    name: "complete",
    promise: "A program starts with all of its secrets, and they are of one version.",
    broken(world) {
      const start = lastOf(world);
      if (start === undefined || versionOf(start) !== undefined) return undefined;
      const values = ["DB_USER", "DB_PASSWORD", "API_KEY"].map((name) =>
        start.environment.get(name),
      );
      return `program ${start.process.pid} has ${values.join(" and ")}`;
    },
  },
  {
    name: "never older",
    promise:
      "No program starts with an older version than the one before it, unless the vault has no " +
      "other one for a minute.",
    broken({ starts, scenario: { behind } }) {
      const [before, last] = [starts.at(-2), starts.at(-1)];
      if (before === undefined || last === undefined) return undefined;
      const behindUs = behind === undefined ? 0 : last.atUs - clockUs(behind.fromMs);
      if (behindUs > BEHIND_AT_MOST_US) return undefined;
      const [older = 0, newer = 0] = [versionOf(before), versionOf(last)];
      return newer < older ? `version ${newer} follows version ${older}` : undefined;
    },
  },
  {
    name: "one program",
    promise: "There is one program at a time.",
    broken({ starts }) {
      const alive = starts.filter(({ process }) => process.isAlive);
      return alive.length > 1 ? `${alive.length} programs run` : undefined;
    },
  },
  {
    name: "only its own variables",
    promise: "The program does not get the wrapper's variables or its token.",
    broken(world) {
      const names = [...(lastOf(world)?.environment.keys() ?? [])];
      const foreign = names.filter((name) => /^(?:SVC_|VAULT_|RENEWAL_)/.test(name));
      return foreign.length > 0 ? `the program has ${foreign.join(", ")}` : undefined;
    },
  },
  {
    name: "no older value is kept",
    promise: "With rotation by restart, the program has a new version after a calm while.",
    atEnd: true,
    broken(world) {
      const { scenario, starts, version, stoppedAtUs } = world;
      const last = starts.at(-1);
      if (scenario.settings["SVC_ROTATION"] !== "restart" || last === undefined) return undefined;
      if (!isCalm(world) || stoppedAtUs === undefined) return undefined;
      const found = versionOf(last);
      return found === version ? undefined : `the program kept ${found}, and ${version} was there`;
    },
  },
];

/** Whether nothing has disturbed the wrapper for longer than a check and a rotation take. */
function isCalm({ scenario, starts, changedAtUs, stoppedAtUs = 0, endedAtUs = 0 }: World): boolean {
  const last = starts.at(-1);
  if (last === undefined || endedAtUs < stoppedAtUs) return false;
  const { refusal, courierEnd, programEnd, signal } = scenario.disturbance;
  if (refusal + courierEnd + programEnd + signal > 0) return false;
  const { operator, freeze } = scenario;
  if (freeze !== undefined) return false;
  if (operator && (operator.waits === "for ever" || operator.outages.length > 0)) return false;
  const actions = scenario.actions.map(({ atMs }) => clockUs(atMs));
  const outages = scenario.outages.map(({ toMs }) => clockUs(toMs));
  const behindUs = clockUs(scenario.behind?.toMs ?? 0);
  const lastTroubleUs = Math.max(behindUs, last.atUs, ...actions, ...outages, ...changedAtUs);
  return stoppedAtUs - lastTroubleUs > longestWay(scenario) * 1_000_000;
}

/** The seconds from a change to a program with the new version: an interval may be doubled. */
function longestWay(scenario: Scenario): number {
  const { operator } = scenario;
  const seconds = (name: string) => secondsOf(scenario, name);
  // Hints that lie say that nothing has changed; each question for a permit takes a while.
  const hinted = operator === undefined ? 0 : 1.5 * seconds("SVC_HINTED_INTERVAL");
  const pauses = ["SVC_ROTATION_SPLAY", "SVC_ROTATION_DEBOUNCE", "SVC_ROTATION_MIN_INTERVAL"];
  const waits = pauses.reduce((sum, name) => sum + seconds(name), 0);
  const own = waits + askingSeconds(operator) + seconds("SVC_ROTATION_DRAIN");
  return 3 * seconds("RENEWAL_INTERVAL") + hinted + own + seconds("SVC_STOP_GRACE") + 25;
}
