import type { Invariant } from "./invariant.ts";

const SECOND_US = 1_000_000;
/** The longest pause before a socket is tried again, and the messages of a slow agent. */
const LONGEST_RETURN_US = 25 * SECOND_US;

/** The pauses grow to a second, more or less. */
const MOST_CALLS_IN_TEN_SECONDS = 40;

/** The promises about the kernel agent. */
export const agentInvariants: readonly Invariant[] = [
  {
    name: "registered first",
    promise: "With SVC_REQUIRE_AGENT no program starts before the agent has registered it.",
    broken({ scenario: { agent }, starts }) {
      const last = starts.at(-1);
      if (agent?.isRequired !== true || last === undefined || last.isRegistered) return undefined;
      return `program ${last.process.pid} is not registered`;
    },
  },
  {
    name: "gentle with the agent",
    promise: "An agent that is away is not called at full speed.",
    broken({ agent: { calledAtUs }, machine }) {
      const since = machine.nowUs - 10 * SECOND_US;
      if ((calledAtUs.at(-MOST_CALLS_IN_TEN_SECONDS) ?? since) <= since) return undefined;
      return `${MOST_CALLS_IN_TEN_SECONDS} streams were opened within ten seconds`;
    },
  },
  {
    name: "registered again",
    promise: "A program that runs is registered with an agent that has come back.",
    broken(world) {
      const { scenario, starts, agent, machine, wrapper } = world;
      const last = starts.at(-1);
      if (scenario.agent?.refuses !== "none" || last === undefined) return undefined;
      const { process, atUs } = last;
      if (!process.isAlive || !wrapper.isAlive || wrapper.isStopped) return undefined;
      const sinceUs = Math.max(atUs, agent.hereSinceUs ?? machine.nowUs);
      if (agent.registered.has(process.pid)) return undefined;
      const tookUs = world.sinceUs(sinceUs);
      return tookUs > LONGEST_RETURN_US ? `program ${process.pid} is not` : undefined;
    },
  },
];
