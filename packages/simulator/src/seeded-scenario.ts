import { Random } from "./machine/random.ts";
import { stories, storyScenario } from "./stories/stories.ts";
import { callersOf } from "./world/callers.ts";
import { mishapsOf } from "./world/mishaps.ts";
import { randomScenario } from "./world/random-scenario.ts";
import type { Arrival, Scenario } from "./world/scenario.ts";

/** One of seven seeds is a story; the others are random. A thousand seeds have each story. */
const STORY_EVERY = 7;
/** Begins the random numbers of arrivals. */
const ARRIVALS = 0xa221;
const [SIGQUIT, SIGUSR1, SIGPIPE, SIGCHLD, SIGWINCH] = [3, 10, 13, 17, 28] as const;

/** Whether a seed gives a story its schedule. */
export function isStorySeed(seed: number): boolean {
  return seed % STORY_EVERY === 0;
}

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  const names = Object.keys(stories);
  const name = names[Math.floor(seed / STORY_EVERY) % names.length];
  if (isStorySeed(seed) && name !== undefined) return storyScenario(name, seed);
  // By a generator apart, so that the other parts of each seed stay.
  const arrival = arrivalOf(new Random(seed * 4973 + ARRIVALS));
  return callersOf(mishapsOf({ ...randomScenario(seed), arrival }));
}

function arrivalOf(random: Random): Arrival {
  const some = (numbers: readonly number[]) => numbers.filter(() => random.chance(0.3));
  return {
    ignored: some([SIGQUIT, SIGPIPE, SIGCHLD, SIGWINCH]),
    blocked: some([SIGUSR1, SIGWINCH]),
    fds: some([3, 5, 9, 40]),
    descriptorLimit: random.pick([64, 1024, 1 << 20]),
  };
}
