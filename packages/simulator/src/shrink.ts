import type { WrapperCode } from "./code/wrapper-code.ts";
import { runScenario, type Violation } from "./run-scenario.ts";
import type { Scenario } from "./world/scenario.ts";

/** A promise that a scenario breaks. */
export interface Broken {
  readonly scenario: Scenario;
  readonly violation: Violation;
}

/**
 * Makes a scenario smaller, as long as it breaks the same promise: it leaves out actions, outages,
 * floods, disturbances and children, and stops earlier. A smaller story is another one: it stays.
 */
export function shrink(scenario: Scenario, violation: Violation, code: WrapperCode): Broken {
  let smallest: Broken = { scenario, violation };
  if (violation.invariant === "stories") return smallest;
  for (let changed = true; changed; ) {
    changed = false;
    for (const smaller of smallerOnes(smallest.scenario)) {
      const found = runScenario(smaller, code).violation;
      if (found?.invariant !== violation.invariant) continue;
      smallest = { scenario: smaller, violation: found };
      changed = true;
      break;
    }
  }
  return smallest;
}

/** Scenarios that have one thing less. */
function smallerOnes(scenario: Scenario): readonly Scenario[] {
  const { actions, outages, floods, stopAtMs } = scenario;
  const fewer = [...halves(actions), ...without(actions)];
  const sooner = Math.max(actions.at(-1)?.atMs ?? 0, Math.floor(stopAtMs / 2));
  return [
    ...fewer.map((rest) => ({ ...scenario, actions: rest })),
    ...without(outages).map((rest) => ({ ...scenario, outages: rest })),
    ...without(floods).map((rest) => ({ ...scenario, floods: rest })),
    ...calmer(scenario),
    ...plainer(scenario),
    ...simpler(scenario),
    ...(sooner < stopAtMs ? [{ ...scenario, stopAtMs: sooner }] : []),
  ];
}

function calmer({ disturbance, ...scenario }: Scenario): readonly Scenario[] {
  const names = Object.entries(disturbance).filter(([, part]) => part > 0);
  return names.map(([name]) => ({ ...scenario, disturbance: { ...disturbance, [name]: 0 } }));
}

/** Without a part that few scenarios have. */
function plainer(scenario: Scenario): readonly Scenario[] {
  const { operator, freeze, behind, programKill, refusals, agent } = scenario;
  const rare = { operator, freeze, behind, programKill, refusals, agent };
  const there = Object.entries(rare).filter(([, part]) => part !== undefined);
  return there.map(([name]) => {
    const { [name as keyof typeof rare]: _, ...rest } = scenario;
    return rest;
  });
}

/** With fewer programs, or programs with fewer children. */
function simpler({ programs, ...scenario }: Scenario): readonly Scenario[] {
  const fewer = programs.length > 1 ? without(programs) : [];
  const lonelier = programs.flatMap((program, index) =>
    without(program.children).map((children) => programs.with(index, { ...program, children })),
  );
  return [...fewer, ...lonelier].map((rest) => ({ ...scenario, programs: rest }));
}

function halves<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 4) return [];
  const middle = items.length >> 1;
  return [items.slice(0, middle), items.slice(middle)];
}

function without<T>(items: readonly T[]): readonly (readonly T[])[] {
  return items.map((_, index) => items.toSpliced(index, 1));
}
