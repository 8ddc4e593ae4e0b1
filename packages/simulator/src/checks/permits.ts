import { signals } from "../machine/signals.ts";
import type { Start } from "../world/observations.ts";
import type { World } from "../world/world.ts";
import type { Invariant } from "./invariant.ts";
import { isUndisturbed, secondsOf } from "./undisturbed.ts";

const SECOND_US = 1_000_000;
/** For so long the operator may be away before the wrapper rotates without it; 0133. */
const PATIENCE_US = 600 * SECOND_US;
/** A courier waits for ten seconds, and the wrapper tells three times more. */
const LONGEST_TELLING_US = 90 * SECOND_US;
const { SIGTERM } = signals;

/** The promises about permits. */
export const permitInvariants: readonly Invariant[] = [
  {
    name: "permits are awaited",
    promise: "A program is replaced only with a permit, or after ten minutes without an answer.",
    broken(world) {
      const { scenario, starts, operator } = world;
      if (scenario.operator === undefined) return undefined;
      const found = starts.find((start) => isReplaced(world, start) && !start.hadPermit);
      if (found === undefined) return undefined;
      const { questions, firstUnansweredUs } = operator;
      const granted = questions.some(
        ({ say, decision, atUs }) => say === "ask" && decision === "go" && atUs > found.atUs,
      );
      const isWaived =
        firstUnansweredUs !== undefined && world.machine.nowUs - firstUnansweredUs >= PATIENCE_US;
      found.hadPermit = granted || isWaived;
      return found.hadPermit ? undefined : `program ${found.process.pid} was ended without one`;
    },
  },
  {
    name: "the next pod may go",
    promise: "The operator hears that a rotation with a permit is over.",
    broken(world) {
      const { scenario, operator, machine, stoppedAtUs, wrapper } = world;
      if (scenario.operator === undefined || !isUndisturbed(scenario)) return undefined;
      if (scenario.operator.outages.length > 0 || stoppedAtUs !== undefined || !wrapper.isAlive)
        return undefined;
      const last = operator.questions.findLast(({ decision }) => decision === "go");
      if (last?.say !== "ask") return undefined;
      const waits = ["SVC_STOP_GRACE", "SVC_ROTATION_DRAIN", "SVC_START_DEADLINE"];
      const seconds = waits.reduce((sum, name) => sum + secondsOf(scenario, name), 0);
      const tookUs = machine.nowUs - last.atUs;
      const longestUs = LONGEST_TELLING_US + seconds * SECOND_US;
      return tookUs > longestUs ? `it has heard nothing for ${tookUs / SECOND_US} s` : undefined;
    },
  },
];

/** The wrapper has asked the program to end, and nothing but a rotation explains it. */
function isReplaced(world: World, { process, signals: heard, atUs }: Start): boolean {
  const { scenario, stoppedAtUs, killedWrapper, termedPrograms, wrapper } = world;
  if (scenario.settings["SVC_ROTATION"] !== "restart" || scenario.agent !== undefined) return false;
  if (stoppedAtUs !== undefined || killedWrapper || !wrapper.isAlive) return false;
  if (termedPrograms.has(process.pid) || atUs === 0) return false;
  return heard.some(({ number }) => number === SIGTERM);
}
