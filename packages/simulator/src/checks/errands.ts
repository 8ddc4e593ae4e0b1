import { errands } from "../world/errands.ts";
import type { Invariant } from "./invariant.ts";

/** The promises about starts without a program, and about those without a supervisor. */
export const errandInvariants: readonly Invariant[] = [
  {
    name: "errands",
    promise: "An errand gives its answer, ends with its status and starts no program.",
    atEnd: true,
    broken(world) {
      const { scenario, starts, wrapper, log } = world;
      if (scenario.errand === undefined) return undefined;
      const { exits, says } = errands[scenario.errand];
      const { ending } = wrapper;
      if (ending?.kind !== "exited" || ending.code !== exits) {
        return `${scenario.errand}: it ended with ${JSON.stringify(ending)}: ${log}`;
      }
      if (starts.length > 0) return `${scenario.errand}: a program has started`;
      const text = `${world.output}\n${log}`;
      const missing = says.find((one) => !one.test(text));
      return missing && `${scenario.errand}: it does not say ${missing}: ${text}`;
    },
  },
  {
    name: "hand-over",
    promise: "With SVC_SUPERVISE=never the program has the wrapper's number, and no other does.",
    broken({ scenario, starts, wrapper }) {
      const isHandedOver = scenario.settings["SVC_SUPERVISE"] === "never";
      const start = starts.find(({ process }) => (process === wrapper) !== isHandedOver);
      return start && `process ${start.process.pid} is the program of wrapper ${wrapper.pid}`;
    },
  },
  {
    name: "nothing is left beside a hand-over",
    promise: "A wrapper that becomes the program leaves it no courier and no descriptor.",
    broken({ isHandedOver, wrapper, couriers, scenario: { arrival } }) {
      if (!isHandedOver || !wrapper.isAlive) return undefined;
      const given = arrival?.fds ?? [];
      if (couriers.length > 0) return `process ${couriers[0]?.pid} is a courier`;
      const left = wrapper.descriptors.filter((fd) => fd > LAST_STANDARD_FD && !given.includes(fd));
      // The region of the values would be one.
      return left.length > 0 ? `descriptors ${left.join(", ")} are open` : undefined;
    },
  },
];

const LAST_STANDARD_FD = 2;
