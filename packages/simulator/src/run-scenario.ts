import { agentInvariants } from "./checks/agent.ts";
import { callerInvariants } from "./checks/callers.ts";
import { conductInvariants } from "./checks/conduct.ts";
import { deliveryInvariants } from "./checks/delivery.ts";
import { errandInvariants } from "./checks/errands.ts";
import type { Invariant } from "./checks/invariant.ts";
import { lifetimeInvariants } from "./checks/lifetime.ts";
import { permitInvariants } from "./checks/permits.ts";
import { readinessInvariants } from "./checks/readiness.ts";
import { storyInvariants } from "./checks/stories.ts";
import { surroundingsInvariants } from "./checks/surroundings.ts";
import type { WrapperCode } from "./code/wrapper-code.ts";
import type { Machine } from "./machine/machine.ts";
import type { Scenario } from "./world/scenario.ts";
import { World } from "./world/world.ts";

/** Every promise that a run is held against. */
export const invariants: readonly Invariant[] = [
  ...deliveryInvariants,
  ...lifetimeInvariants,
  ...conductInvariants,
  ...readinessInvariants,
  ...callerInvariants,
  ...permitInvariants,
  ...errandInvariants,
  ...agentInvariants,
  ...surroundingsInvariants,
  ...storyInvariants,
];

/** A promise that a run has broken. */
export interface Violation {
  readonly invariant: string;
  readonly found: string;
  readonly atMs: number;
}

/** The result of a run. */
export interface Run {
  readonly violation: Violation | undefined;
  readonly world: World;
  /** The turns of the run. */
  readonly turns: number;
}

const SECOND_US = 1_000_000;
/** Far behind every deadline of a scenario. */
const MOST_AFTER_STOP_US = 300 * SECOND_US;
/** A turn takes some microseconds: such a wrapper never waits. */
const MOST_TURNS_A_SECOND = 20_000;
/** The kernel ends descendants, and others reap them. */
const AFTERWARDS_US = 5 * SECOND_US;

/** Runs a scenario up to its first broken promise, or to its end. */
export function runScenario(scenario: Scenario, code: WrapperCode): Run {
  const world = new World(scenario, code);
  const { machine, wrapper } = world;
  const during = invariants.filter(({ atEnd }) => atEnd === undefined);
  const atEnd = invariants.filter((one) => one.atEnd === true);
  let violation: Violation | undefined;
  let turns = 0;
  const isSpinning = spinWatch(machine);
  machine.afterTurn = () => {
    turns++;
    if (isSpinning()) violation ??= violationOf(world, "no spinning", "it never waits");
    if (!wrapper.isAlive) world.endedAtUs ??= machine.nowUs;
    violation ??= gapOf(world) ?? firstBroken(during, world);
  };
  const isOver = () => violation !== undefined || !wrapper.isAlive;
  const ended = machine.run(scenario.stopAtMs * 1000 + MOST_AFTER_STOP_US, isOver);
  if (violation === undefined && ended) {
    world.endedAtUs ??= machine.nowUs;
    machine.run(machine.nowUs + AFTERWARDS_US, () => false);
    violation = firstBroken(atEnd, world);
  }
  if (!ended) violation ??= violationOf(world, "end", "the wrapper runs on");
  return { violation, world, turns };
}

/** Counts turns by seconds of virtual time. */
function spinWatch(machine: Machine): () => boolean {
  let [secondUs, turns] = [machine.nowUs, 0];
  return () => {
    if (machine.nowUs - secondUs > SECOND_US) [secondUs, turns] = [machine.nowUs, 0];
    turns++;
    return turns > MOST_TURNS_A_SECOND;
  };
}

function firstBroken(list: readonly Invariant[], world: World): Violation | undefined {
  for (const { name, broken } of list) {
    const found = broken(world);
    if (found !== undefined) return violationOf(world, name, found);
  }
  return undefined;
}

/** The wrapper made a call that the model lacks: the model has to be completed. */
function gapOf(world: World): Violation | undefined {
  const [gap] = world.machine.gaps;
  return gap === undefined ? undefined : violationOf(world, "the model", gap);
}

function violationOf({ machine }: World, invariant: string, found: string): Violation {
  return { invariant, found, atMs: machine.nowUs / 1000 };
}
