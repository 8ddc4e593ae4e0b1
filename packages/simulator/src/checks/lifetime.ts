import { EventLoop } from "../host/event-loop.ts";
import { signals } from "../machine/signals.ts";
import type { World } from "../world/world.ts";
import type { Invariant } from "./invariant.ts";

const SECOND_US = 1_000_000;
/** The wrapper's failures before a program; docs/reference/errors.md. */
const FAILED = [125, 126, 127];
const SIGNALLED = 128;
const { SIGKILL } = signals;
/** After the grace: SIGKILL, then the token is revoked, in one try of a request. */
const CLEARING_US = 15 * SECOND_US;
/** Between two steps of the wrapper's own. */
const SLACK_US = 3 * SECOND_US;

/** The promises about ends: of the wrapper, its program and their descendants. */
export const lifetimeInvariants: readonly Invariant[] = [
  {
    name: "exit status",
    promise: "The wrapper ends with its program's status, or says by another that it failed.",
    atEnd: true,
    broken(world) {
      const { starts, sent, disturbedCourier, killedWrapper } = world;
      const { ending } = world.wrapper;
      if (ending === undefined || isNotSupervisor(world)) return undefined;
      if (ending.kind === "killed" && killedWrapper) return undefined;
      // A signal between the old mask and execve(2) ends it as it would end the program.
      const isNever = world.scenario.settings["SVC_SUPERVISE"] === "never";
      if (
        ending.kind === "killed" &&
        isNever &&
        sent.some(({ number }) => number === ending.signal)
      )
        return undefined;
      if (ending.kind === "killed") return `signal ${ending.signal} ended the wrapper`;
      const { code } = ending;
      const last = starts.at(-1)?.process.ending;
      const status = last && (last.kind === "exited" ? last.code : SIGNALLED + last.signal);
      if (code === status || FAILED.includes(code)) return undefined;
      // A signal ends a wrapper without a program, and one that kills a courier does so, too.
      const signals = sent.map(({ number }) => SIGNALLED + number);
      if (signals.includes(code) || (disturbedCourier && code === SIGNALLED + SIGKILL))
        return undefined;
      return `it ended with ${code}, and its program with ${status}`;
    },
  },
  {
    name: "no false success",
    promise: "The wrapper ends with 0 only if its last program did.",
    atEnd: true,
    broken({ wrapper: { ending }, starts, scenario: { errand } }) {
      if (ending?.kind !== "exited" || ending.code !== 0 || errand !== undefined) return undefined;
      const last = starts.at(-1)?.process.ending;
      return last?.kind === "exited" && last.code === 0 ? undefined : "no program has ended with 0";
    },
  },
  {
    name: "nothing outlives it",
    promise: "No descendant of the wrapper is left after its end.",
    atEnd: true,
    broken({ machine, wrapper, killedWrapper, starts, isHandedOver, stranger }) {
      // The program's own children are its own matter then.
      if (isHandedOver) return undefined;
      const programs = starts.map(({ process }) => process);
      const left = [...machine.processes.values()].filter((process) => {
        const { pid, isAlive, program } = process;
        if (!isAlive || pid === 1 || pid === wrapper.pid || process === stranger) return false;
        // One that was killed ends its children by the kernel, and no other one.
        return !killedWrapper || program instanceof EventLoop || programs.includes(process);
      });
      return left.length > 0 ? `${left.map(({ pid }) => pid).join(", ")} run on` : undefined;
    },
  },
  {
    name: "stop grace",
    promise: "After SIGTERM the wrapper ends within SVC_STOP_GRACE, and the time of clearing away.",
    broken(world) {
      const { stoppedAtUs, wrapper } = world;
      if (stoppedAtUs === undefined || !wrapper.isAlive || wrapper.isStopped) return undefined;
      if (world.isHandedOver) return undefined;
      const longest = secondsOf(world, "SVC_STOP_GRACE") * SECOND_US + CLEARING_US + SLACK_US;
      const tookUs = world.sinceUs(stoppedAtUs);
      return tookUs > longest ? `it runs ${Math.round(tookUs / SECOND_US)} s after` : undefined;
    },
  },
  {
    name: "start deadline",
    promise: "A wrapper that cannot start its program ends after SVC_START_DEADLINE.",
    broken(world) {
      const { wrapper, starts, scenario } = world;
      // A sealed wrapper waits for a token, however long that takes.
      if (!wrapper.isAlive || starts.length > 0 || scenario.login.kind === "sealed")
        return undefined;
      const request = secondsOf(world, "VAULT_CLIENT_TIMEOUT");
      const longest = (secondsOf(world, "SVC_START_DEADLINE") + request) * SECOND_US + CLEARING_US;
      const tookUs = world.sinceUs(SECOND_US);
      return tookUs > longest ? `it waits for ${Math.round(tookUs / SECOND_US)} s` : undefined;
    },
  },
  {
    name: "ends are acted upon",
    promise: "After its program's end the wrapper ends, or starts another one.",
    broken(world) {
      const { wrapper, starts, scenario } = world;
      const endedAtUs = starts.at(-1)?.process.endedAtUs;
      // A sealed wrapper may have to wait for another token.
      if (endedAtUs === undefined || !wrapper.isAlive || scenario.login.kind === "sealed")
        return undefined;
      if (wrapper.isStopped || world.isHandedOver) return undefined;
      const tookUs = world.sinceUs(endedAtUs);
      return tookUs > longestPause(world) ? `it waits for ${tookUs / SECOND_US} s` : undefined;
    },
  },
  {
    name: "no zombie is kept",
    promise: "A child that has ended is reaped at once.",
    broken(world) {
      const { wrapper, isHandedOver } = world;
      if (!wrapper.isAlive || isHandedOver) return undefined;
      const kept = [...wrapper.children].find(({ isAlive, adoptedAtUs, endedAtUs = 0 }) => {
        return !isAlive && world.sinceUs(Math.max(adoptedAtUs, endedAtUs)) > SECOND_US;
      });
      return kept && `process ${kept.pid} is not reaped`;
    },
  },
  {
    name: "the watchdog rests",
    promise: "The wrapper keeps its deadlines by itself, before the host does it.",
    atEnd: true,
    broken({ trace }) {
      return trace.lines.find((line) => line.includes(" watchdog: "));
    },
  },
];

/** It has become the program, or has answered. */
function isNotSupervisor({ isHandedOver, scenario: { errand } }: World): boolean {
  return isHandedOver || errand !== undefined;
}

/** From an end to the next program: a pause, a start that is tried twice, and clearing away. */
function longestPause(world: World): number {
  const seconds = (name: string) => secondsOf(world, name);
  const start = seconds("SVC_START_DEADLINE") + seconds("VAULT_CLIENT_TIMEOUT");
  const others = seconds("SVC_RESTART_MAX_DELAY") + seconds("SVC_STOP_GRACE");
  // A start with older values than before is repeated.
  const { fromMs, toMs } = world.scenario.behind ?? { fromMs: 0, toMs: 0 };
  return (2 * start + others) * SECOND_US + CLEARING_US + SLACK_US + (toMs - fromMs) * 1000;
}

function secondsOf({ scenario }: World, name: string): number {
  return Number.parseInt(scenario.settings[name] ?? "0", 10);
}
