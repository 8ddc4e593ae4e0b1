import { runtime } from "../engine/runtime.ts";
import { type Arrival, arrive } from "../processes/arrival.ts";
import { MemoryMaker } from "../processes/secret-memory.ts";
import { SessionHolder } from "../processes/session-holder.ts";
import { type BornCourier, type CourierOrigin, startCourier } from "../processes/start-courier.ts";
import { takeToken } from "../processes/take-token.ts";
import { mayTrace } from "../program/delivery-traits.ts";
import type { SignalSource } from "../runtime.ts";
import type { OwnMounts } from "../secret-files/own-mounts.ts";
import { withBaoNames } from "../settings/bao-names.ts";
import { type CommandLine, cutCommandLine } from "./command-line.ts";
import { earlySetting } from "./early-setting.ts";

/** The supervisor's state once the courier has started. */
export interface Beginning {
  readonly arrival: Arrival;
  /** The signals since the wrapper's first statement. */
  readonly signals: SignalSource;
  readonly memory: MemoryMaker;
  readonly session: SessionHolder;
  /** Why VAULT_TOKEN could be written to swap, if it could. */
  readonly unlockedToken: string | undefined;
  readonly commandLine: CommandLine;
  readonly origin: CourierOrigin;
  /** The first courier, with its inputs. */
  readonly first: BornCourier;
  /** Undefined if SVC_FILE_MAP is not set. */
  readonly mounts: OwnMounts | undefined;
}

/** For the steps before the settings are read. They take some milliseconds. */
const FIRST_STEPS_MS = 60_000;

/**
 * The supervisor's first steps, up to the courier's start. Kept apart from the rest, which is
 * loaded while the courier boots.
 */
export async function begin(words: readonly Uint8Array[]): Promise<Beginning> {
  runtime.guard.endAfter(FIRST_STEPS_MS);
  const commandLine = cutCommandLine(words);
  const arrival = readNames(arrive(), commandLine);
  const signals = runtime.takeSignals();
  const memory = new MemoryMaker();
  const token = takeToken(arrival.environment, memory);
  const session = new SessionHolder(token.memory, token.lengthBytes);
  const region = memory.make();
  const { programWords } = commandLine;
  const mounts = await ownMounts(commandLine, arrival);
  const origin = { arrival, starter: runtime.prepareCouriers(), programWords };
  const newSession = memory.make();
  const courier = await startCourier(origin, {
    session: session.fd,
    newSession,
    region: region.fd,
    mayTrace: mayBeTraced(commandLine, arrival),
  });
  return {
    arrival,
    signals,
    memory,
    session,
    unlockedToken: token.unlocked,
    commandLine,
    origin,
    first: { courier, newSession, region },
    mounts,
  };
}

/** The courier is born with them. Whether the map is right is looked at later. */
async function ownMounts(
  { flags }: CommandLine,
  { environment }: Arrival,
): Promise<OwnMounts | undefined> {
  const name = { flag: "--file-map", variable: "SVC_FILE_MAP" };
  if (earlySetting({ flags, environment }, name) === undefined) return undefined;
  const { tryOwnMounts } = await import("../secret-files/own-mounts.ts");
  return tryOwnMounts();
}

/** Gives the variables of OpenBao's client the names that they stand for. */
function readNames(arrival: Arrival, { flags }: CommandLine): Arrival {
  const hasFlag = flags.some((flag) => /^--vault-addr(?:=|$)/.test(flag));
  return { ...arrival, environment: withBaoNames(arrival.environment, hasFlag) };
}

/** A seccomp filter may kill for ptrace: with another delivery method this is never reached. */
function mayBeTraced({ flags }: CommandLine, { environment }: Arrival): boolean {
  const setting = (flag: string, variable: string) =>
    earlySetting({ flags, environment }, { flag, variable });
  const asked = setting("--delivery", "SVC_DELIVERY");
  if (setting("--supervise", "SVC_SUPERVISE") === "never") return false;
  return asked === undefined || mayTrace(asked);
}
