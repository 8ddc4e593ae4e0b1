import {
  closeDescriptor,
  createPlainMemory,
  cString,
  makePipe,
  type SecretMemory,
  type SpawnOptions,
  SyscallError,
  sendSignal,
  spawnProcess,
  stringVector,
  writeDescriptor,
  writeIfPossible,
} from "@svc/kernel";
import { type Brief, courierName, descriptorWords } from "../brief.ts";
import type { CourierMessage } from "../courier-message.ts";
import { type DeliveryPlan, readPlan } from "../delivery-plan.ts";
import { failure, WrapperError } from "../errors.ts";
import { StatusPage } from "../status-page.ts";
import { startTracing, type Tracing } from "../tracer/start-tracing.ts";
import type { Arrival } from "./arrival.ts";
import { readMessages } from "./message-pipe.ts";
import { tokenVariable } from "./take-token.ts";

const SIGKILL = 9;

/** A courier that waits for its brief. */
export interface Courier {
  readonly pid: number;
  readonly tracing: Tracing;
  /** What it wants done when it becomes the program; undefined while it has not said. */
  readPlan(): DeliveryPlan | undefined;
  /** The metrics, for a gatekeeper to serve. */
  readonly statusPage: StatusPage;
  /** Lets it work. */
  brief(brief: Brief): void;
  /** Lets one that waits with everything fetched become the program. */
  go(): void;
  /** Ends it. */
  abandon(): void;
  /** What it says, until it ends or has become the program. To be read once. */
  readonly messages: AsyncIterable<CourierMessage>;
  /** Gives its descriptors back; it has ended, or become the program. */
  dispose(): void;
}

/** What every courier is born from. */
export interface CourierOrigin {
  readonly arrival: Arrival;
  /** The wrapper's own executable, opened at its start: the file may have been replaced since. */
  readonly executableFd: number;
  readonly programWords: readonly Uint8Array[];
}

/** What one courier is born with. */
export interface CourierOptions {
  readonly session: number;
  readonly newSession: SecretMemory;
  readonly region: number;
  /** False where nothing is delivered that needs it. */
  readonly mayTrace: boolean;
}

const notAsked: Tracing = { kind: "impossible", reason: "SVC_DELIVERY does not ask for it" };

/** Starts a courier: it boots on one core while the supervisor goes on on the other. */
export function startCourier(origin: CourierOrigin, options: CourierOptions): Courier {
  const { arrival, executableFd, programWords } = origin;
  const brief = createPlainMemory("svc-brief");
  const plan = createPlainMemory("svc-plan");
  const go = makePipe();
  const report = makePipe();
  const descriptors = {
    brief: brief.fd,
    go: go.readFd,
    report: report.writeFd,
    session: options.session,
    newSession: options.newSession.fd,
    region: options.region,
    plan: plan.fd,
  };
  const pid = spawned({
    path: `/proc/self/fd/${executableFd}`,
    argv: stringVector(
      [courierName, ...descriptorWords(descriptors), ...programWords].map(cString),
    ),
    envp: stringVector(
      arrival.environment
        .filter(({ name }) => name !== tokenVariable)
        .map((entry) => entry.address),
    ),
    inheritFds: [...Object.values(descriptors), ...arrival.inheritedFds],
    blockedSignals: arrival.blockedSignals,
  });
  const tracing = options.mayTrace ? startTracing(pid) : notAsked;
  writeDescriptor(go.writeFd, Uint8Array.of(1));
  closeDescriptor(go.readFd);
  closeDescriptor(report.writeFd);
  return {
    pid,
    tracing,
    readPlan: () => readPlan(plan.fd),
    statusPage: new StatusPage(plan.fd),
    brief: (text) => sendBrief(text, brief.fd, go.writeFd),
    // One that has been killed reads no more.
    go: () => writeIfPossible(go.writeFd, Uint8Array.of(1)),
    abandon: () => void sendSignal(pid, SIGKILL),
    messages: readMessages(report.readFd),
    dispose: () => {
      closeDescriptor(go.writeFd);
      closeDescriptor(plan.fd);
    },
  };
}

function spawned(options: SpawnOptions): number {
  try {
    return spawnProcess(options);
  } catch (error) {
    if (!(error instanceof SyscallError) || error.code !== "EAGAIN") throw error;
    const message = `start the courier: ${error.message}: the limit of processes is reached`;
    throw new WrapperError([failure("PROCESS_LIMIT", message)], error);
  }
}

function sendBrief(brief: Brief, briefFd: number, goFd: number): void {
  const bytes = new TextEncoder().encode(JSON.stringify(brief));
  writeDescriptor(briefFd, bytes);
  closeDescriptor(briefFd);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  writeIfPossible(goFd, length);
}
