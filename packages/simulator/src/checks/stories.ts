import { stories, toldStory } from "../stories/stories.ts";
import { accountOf } from "../world/account.ts";
import type { Invariant } from "./invariant.ts";

/** The promise about runs that are written down. */
export const storyInvariants: readonly Invariant[] = [
  {
    name: "stories",
    promise: "A story goes as it is written down, by each schedule.",
    atEnd: true,
    broken(world) {
      const { story, isToBeTold = false } = world.scenario;
      if (story === undefined || isToBeTold) return undefined;
      const { loose } = stories[story] ?? {};
      const [told, account] = [toldStory(story), accountOf(world, loose)];
      const at = account.findIndex((line, index) => line !== told[index]);
      if (at < 0 && account.length === told.length) return undefined;
      const from = at < 0 ? account.length : at;
      return `${story}: line ${from + 1} is ${account[from]}, and not ${told[from]}`;
    },
  },
];
