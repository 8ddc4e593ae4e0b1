import { signals } from "../machine/signals.ts";
import type { World } from "../world/world.ts";
import type { Invariant } from "./invariant.ts";

const SECOND_US = 1_000_000;
const CANARY = /(?:user|password|key|root-token|wrong-token|jwt)-canary/;
/** A check reads a few paths, and tries three times. */
const MOST_REQUESTS_A_SECOND = 25;
/** The bar of 0120 beside floods. */
const PROMPT_US = SECOND_US / 20;
const LONGEST_COURIER_US = 120 * SECOND_US;
const { SIGHUP, SIGKILL, SIGTERM, SIGCHLD, SIGCONT } = signals;

/** The promises about conduct beside the life: secrecy, signals, load, truth. */
export const conductInvariants: readonly Invariant[] = [
  {
    name: "nothing secret is said",
    promise: "Neither the log nor an answer of the health port holds a value or a token.",
    atEnd: true,
    broken(world) {
      const line = world.log.split("\n").find((text) => CANARY.test(text));
      if (line !== undefined) return `the log says ${line}`;
      const probe = world.health.answers.find(({ body }) => CANARY.test(body));
      return probe && `${probe.path} answers with ${probe.body}`;
    },
  },
  {
    name: "no token in the environment",
    promise: "The supervisor's own environment has no token once it has started.",
    atEnd: true,
    broken({ wrapper, starts }) {
      if (starts.length === 0) return undefined;
      const found = wrapper.environment.map((entry) => new TextDecoder().decode(entry));
      return found.some((text) => text.includes("root-token")) ? "VAULT_TOKEN is there" : undefined;
    },
  },
  {
    name: "signals once",
    promise: "A signal reaches the program once.",
    atEnd: true,
    broken({ starts, sent }) {
      const received = countsOf(starts.flatMap(({ signals }) => signals));
      for (const [number, most] of countsOf(sent)) {
        const times = received.get(number) ?? 0;
        // SIGTERM and SIGHUP come by the wrapper's own decision, too.
        if (number === SIGTERM || number === SIGHUP || times <= most) continue;
        return `signal ${number} came ${times} times, and was sent ${most} times`;
      }
      return undefined;
    },
  },
  {
    name: "no signal of ours",
    promise: "The program gets the signals that were sent, and those of a stop or a rotation.",
    atEnd: true,
    broken({ starts, sent, scenario }) {
      const { SVC_ROTATION, SVC_STOP_SIGNAL } = scenario.settings;
      const own = [
        ...(SVC_ROTATION === "sighup" ? [SIGHUP] : []),
        ...(SVC_STOP_SIGNAL === "SIGWINCH" ? [signals.SIGWINCH] : []),
      ];
      const known = new Set([
        SIGTERM,
        SIGCHLD,
        SIGCONT,
        ...own,
        ...sent.map(({ number }) => number),
      ]);
      for (const start of starts) {
        const stranger = start.signals.find(({ number }) => !known.has(number));
        if (stranger !== undefined) return `signal ${stranger.number} came, which was not sent`;
      }
      return undefined;
    },
  },
  {
    name: "no SIGKILL of ours",
    promise: "A program that was not asked to end gets no SIGKILL.",
    broken({ starts, scenario, stoppedAtUs, killedPrograms, killedWrapper }) {
      // The kernel ends the program of a wrapper that was killed.
      if (
        stoppedAtUs !== undefined ||
        killedWrapper ||
        scenario.settings["SVC_ROTATION"] === "restart"
      ) {
        return undefined;
      }
      const killed = starts.find(({ process: { ending, pid } }) => {
        return ending?.kind === "killed" && ending.signal === SIGKILL && !killedPrograms.has(pid);
      });
      return killed && `program ${killed.process.pid} got it`;
    },
  },
  {
    name: "signals arrive",
    promise: "A signal reaches the program that runs.",
    atEnd: true,
    broken({ sent, starts, endedAtUs = 0, scenario: { freeze } }) {
      // One that comes within that time has no second to arrive in.
      if (freeze !== undefined) return undefined;
      const missing = sent.find(({ value, atUs }) => {
        if (value === undefined) return false;
        const start = starts.findLast((one) => one.atUs < atUs - SECOND_US);
        if (start === undefined || atUs > endedAtUs - SECOND_US) return false;
        const { endedAtUs: programEndedAtUs = endedAtUs } = start.process;
        if (
          programEndedAtUs < atUs + SECOND_US ||
          start !== starts.findLast(({ atUs: at }) => at < atUs)
        )
          return false;
        // A stopped program keeps it until it goes on.
        const isKept = start.process.pending.has((signal) => signal.value === value);
        return !isKept && !start.signals.some((signal) => signal.value === value);
      });
      return missing && `signal ${missing.number} did not arrive`;
    },
  },
  {
    name: "gentle with the vault",
    promise: "Nothing is retried at full speed.",
    broken({ requests, machine }) {
      const since = machine.nowUs - SECOND_US;
      if ((requests.at(-MOST_REQUESTS_A_SECOND)?.atUs ?? 0) <= since) return undefined;
      return `${MOST_REQUESTS_A_SECOND} requests came within a second`;
    },
  },
  {
    name: "alive",
    promise: "/healthz answers 200 as long as the wrapper lives.",
    atEnd: true,
    broken: ({ health }) => {
      const found = health.answers.find(
        ({ path, status }) => path === "/healthz" && status !== 200,
      );
      return found && `it answered ${found.status}`;
    },
  },
  {
    name: "prompt answers",
    promise: "A probe of the health port has its answer soon beside floods, too.",
    broken(world) {
      const { unanswered } = world.health;
      for (const asked of unanswered) {
        const { atUs, path, process } = asked;
        const tookUs = world.sinceUs(atUs);
        const { isAlive, isStopped, isFrozen } = process;
        if (!isAlive || isStopped || isFrozen) unanswered.delete(asked);
        else if (tookUs > PROMPT_US) return `${path} has waited for ${tookUs / 1000} ms`;
        else break;
      }
      return undefined;
    },
  },
  {
    name: "prompt stop",
    promise: "SIGTERM reaches the program at once beside floods, too.",
    broken(world) {
      const { stoppedAtUs, starts, scenario } = world;
      const start = starts.at(-1);
      if (scenario.settings["SVC_STOP_SIGNAL"] !== undefined) return undefined;
      if (stoppedAtUs === undefined || start === undefined) return undefined;
      if (world.sinceUs(stoppedAtUs) <= PROMPT_US || start.atUs > stoppedAtUs) return undefined;
      const { process, signals } = start;
      const isTerm = ({ number }: { readonly number: number }) => number === SIGTERM;
      if (!process.isAlive || signals.some(isTerm) || process.pending.has(isTerm)) return undefined;
      return `process ${process.pid} has not got it`;
    },
  },
  {
    name: "few descriptors",
    promise: "The supervisor's descriptors do not grow in number.",
    broken(world) {
      const { wrapper, program, machine } = world;
      // A courier, and a program on its way, need some for a while.
      const isBusy = (wrapper.program?.nextTurnUs() ?? Infinity) <= machine.nowUs;
      if (program === undefined || isBusy || world.couriers.length > 0) return undefined;
      const { length } = wrapper.descriptors;
      world.calmDescriptors ??= length;
      return length > world.calmDescriptors + 1
        ? `it has ${length}, and had ${world.calmDescriptors}`
        : undefined;
    },
  },
  {
    name: "no courier stays",
    promise: "A courier that hangs is ended.",
    broken(world) {
      const old = world.couriers.find(({ adoptedAtUs }) => {
        return world.sinceUs(adoptedAtUs) > LONGEST_COURIER_US;
      });
      return old && `process ${old.pid} is a courier for two minutes`;
    },
  },
  {
    name: "one courier at a time",
    promise:
      "While a program runs, there is one courier at most, besides one for hints and two that " +
      "tell of permits.",
    broken({ couriers, program, stoppedAtUs, scenario: { operator } }) {
      const most = operator === undefined ? 1 : operator.hints === "off" ? 3 : 4;
      if (program === undefined || stoppedAtUs !== undefined || couriers.length <= most)
        return undefined;
      return `${couriers.map(({ pid }) => pid).join(" and ")} are couriers`;
    },
  },
  {
    name: "a cause is named",
    promise: "A courier is silent, or too late, only if something has disturbed it.",
    atEnd: true,
    broken(world) {
      const { disturbedCourier, refused, scenario } = world;
      const isSealed = scenario.actions.some(({ kind }) => kind === "seal");
      // Answers may come later than a request or a start may last.
      const isSlow = scenario.slowestAnswerMs > 1000;
      const isTroubled = isSealed || isSlow || scenario.outages.length > 0;
      if (disturbedCourier || refused > 0 || isTroubled) {
        return undefined;
      }
      return world.log.split("\n").find((line) => /without a word|"START_DEADLINE"/.test(line));
    },
  },
  {
    name: "no mistake of ours",
    promise: "The log knows the cause of each failure.",
    atEnd: true,
    broken: (world: World) =>
      world.log.split("\n").find((line) => /"INTERNAL"|unexpected/.test(line)),
  },
];

function countsOf(list: readonly { readonly number: number }[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { number } of list) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}
