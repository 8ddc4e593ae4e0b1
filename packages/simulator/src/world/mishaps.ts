import { Random } from "../machine/random.ts";
import type { Scenario, Standby } from "./scenario.ts";

/** Begins the random numbers of mishaps. */
const MISHAPS = 0x0dd5;
/** Begins those of frozen control groups. */
const FREEZES = 0xf0e2;
/** The wrapper takes older values for those of a restored vault after a minute. */
const LONGEST_STANDBY_MS = 45_000;

/**
 * Mishaps that the other parts of a scenario hardly ever make: a node that is behind, and a program
 * that ends while its next courier cannot be started.
 */
export function mishapsOf(scenario: Scenario): Scenario {
  // By a generator apart, so that the other parts of each seed stay.
  const random = new Random(scenario.seed * 8171 + MISHAPS);
  if (scenario.errand !== undefined) return scenario;
  const behind = random.chance(0.15) ? standby(scenario, random) : undefined;
  return {
    ...scenario,
    ...frozen(scenario),
    ...(behind && { behind }),
    ...(random.chance(0.05) && endBeforeCourier(random.between(2, 8))),
  };
}

/** By a generator apart, so that the other parts of each seed stay. */
function frozen({ seed, stopAtMs }: Scenario): Pick<Scenario, "freeze"> {
  const random = new Random(seed * 6899 + FREEZES);
  if (!random.chance(0.05)) return {};
  // The stop comes in the midst of some.
  const fromMs = random.chance(0.4) ? Math.max(0, stopAtMs - 500) : random.between(0, stopAtMs);
  const toMs = fromMs + random.between(10, random.pick([2000, 60_000]));
  return { freeze: { whom: random.pick(["family", "program"]), fromMs, toMs } };
}

function standby({ stopAtMs }: Scenario, random: Random): Standby {
  const fromMs = random.between(0, stopAtMs);
  const toMs = fromMs + random.between(500, LONGEST_STANDBY_MS);
  return { fromMs, toMs, part: random.pick([0.3, 0.5, 1]) };
}

/** The wrapper hears of the end first: the fork comes in a later turn of its loop. */
export function endBeforeCourier(number: number): Pick<Scenario, "programKill" | "refusals"> {
  return {
    programKill: { call: "socketpair", number },
    refusals: [{ call: "fork", error: "EAGAIN", from: number, times: 1 }],
  };
}
