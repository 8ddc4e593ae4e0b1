import type { Probe } from "../world/health-client.ts";
import type { Start } from "../world/observations.ts";
import { clockUs } from "../world/plan-time.ts";
import type { World } from "../world/world.ts";
import type { Invariant } from "./invariant.ts";
import { isUndisturbed, secondsOf } from "./undisturbed.ts";

const SECOND_US = 1_000_000;
/** The supervisor hears of a start, or of an end, a moment later. */
const MOMENT_US = SECOND_US / 10;
/** From a registration to its answer. */
const REGISTRATION_US = 25 * SECOND_US;

/** The promises about /readyz. */
export const readinessInvariants: readonly Invariant[] = [
  {
    name: "true readiness",
    promise: "/readyz answers 200 only while a program runs.",
    atEnd: true,
    broken({ health, starts, scenario: { freeze } }) {
      const thawUs = freeze === undefined ? 0 : clockUs(freeze.toMs);
      const untrue = health.answers.find(({ path, status, programRuns, atUs }) => {
        if (path !== "/readyz" || status !== 200 || programRuns) return false;
        const ends = starts.map(({ process: { endedAtUs = 0 } }) => endedAtUs);
        return ![thawUs, ...ends].some((endUs) => Math.abs(atUs - endUs) < MOMENT_US);
      });
      return untrue && `it did at ${(untrue.atUs / SECOND_US).toFixed(3)} s`;
    },
  },
  {
    name: "ready while it runs",
    promise:
      "/readyz answers 503 beside a program only while that drains, ends, is not registered, or " +
      "has values that could not be checked.",
    broken(world) {
      const last = world.health.answers.findLast(({ path }) => path === "/readyz");
      const start = world.starts.at(-1);
      if (last?.status !== 503 || !last.programRuns || start === undefined) return undefined;
      if (last.atUs < world.machine.nowUs - MOMENT_US) return undefined;
      const { status, reason } = JSON.parse(last.body) as Record<string, string>;
      const isRight = isRightly[status ?? ""]?.(world, start, last) ?? false;
      return isRight ? undefined : `it says ${status}: ${reason}`;
    },
  },
];

/** Whether an answer is right, by its status. */
const isRightly: Readonly<Record<string, (world: World, start: Start, answer: Probe) => boolean>> =
  {
    starting: isOnItsWay,
    restarting: isOnItsWay,
    stopped: ({ wrapper }, start) => isEnding(start) || !wrapper.isAlive,
    draining: ({ scenario, health }, start, { atUs }) => {
      // The new values are fetched behind that time, and the answer stays until they are there.
      const waits = ["SVC_ROTATION_DRAIN", "SVC_START_DEADLINE", "VAULT_CLIENT_TIMEOUT"];
      const seconds = waits.reduce((sum, name) => sum + secondsOf(scenario, name), 1);
      const { fromMs, toMs } = scenario.freeze ?? { fromMs: 0, toMs: 0 };
      const longestUs = seconds * SECOND_US + (toMs - fromMs) * 1000;
      const answers = health.answers.filter(({ path }) => path === "/readyz");
      const before = answers.findLast(
        (one) => one.atUs > start.atUs && !one.body.includes('"draining"'),
      );
      const first = answers.find((one) => one.atUs > (before?.atUs ?? start.atUs));
      return atUs - (first?.atUs ?? atUs) <= longestUs;
    },
    stale: (world, start, { atUs }) => {
      const { scenario, refused, disturbedCourier } = world;
      if (isUndisturbed(scenario)) return false;
      // Checks that could not be started, and leases that end, make it stale at once.
      if (refused > 0 || disturbedCourier || scenario.refusals || scenario.leased) return true;
      return atUs - start.atUs >= (secondsOf(scenario, "SVC_STALE_AFTER") - 1) * SECOND_US;
    },
    sealed: ({ scenario: { login } }) => login.kind === "sealed" || login.kind === "token",
  };

function isOnItsWay({ scenario: { agent } }: World, start: Start, { atUs }: Probe): boolean {
  const longestUs = agent === undefined ? MOMENT_US : REGISTRATION_US;
  return atUs - start.atUs < longestUs || agent?.isRequired === true || isEnding(start);
}

/** It was asked to end. */
function isEnding({ signals, process }: Start): boolean {
  return signals.length > 0 || process.pending.has(() => true) || !process.isAlive;
}
