import {
  closeDescriptor,
  createPlainMemory,
  cString,
  makePipe,
  type SpawnOptions,
  SyscallError,
  sendSignal,
  setNonBlocking,
  spawnProcess,
  stringVector,
  writeDescriptor,
} from "@svc/kernel";
import { type Brief, courierName, descriptorWords } from "../brief.ts";
import { type CourierReport, readReport } from "../courier-report.ts";
import { type DeliveryPlan, readPlan } from "../delivery-plan.ts";
import { failure, WrapperError } from "../errors.ts";
import { startTracing, type Tracing } from "../tracer/start-tracing.ts";
import type { Arrival } from "./arrival.ts";
import type { Regions } from "./regions.ts";
import { tokenVariable } from "./take-token.ts";

const SIGKILL = 9;

/** A courier that waits for its brief. */
export interface Courier {
  readonly pid: number;
  readonly tracing: Tracing;
  /** What it wants done when it becomes the program; undefined while it has not said. */
  readPlan(): DeliveryPlan | undefined;
  /** Lets it work. */
  brief(brief: Brief): void;
  /** Ends it before it was briefed. */
  abandon(): void;
  /** What it left behind when it ended, or became the program. */
  readonly report: Promise<CourierReport>;
}

/** What a courier is started for. */
export interface CourierOptions {
  readonly programWords: readonly Uint8Array[];
  /** False where the settings leave no delivery that needs it. */
  readonly mayTrace: boolean;
}

const notAsked: Tracing = { kind: "impossible", reason: "SVC_DELIVERY does not ask for it" };

/**
 * Starts a courier before anything else: it boots on one core while the supervisor reads its
 * settings on the other.
 */
export function startCourier(
  arrival: Arrival,
  regions: Regions,
  { programWords, mayTrace }: CourierOptions,
): Courier {
  const brief = createPlainMemory("svc-brief");
  const plan = createPlainMemory("svc-plan");
  const go = makePipe();
  const report = makePipe();
  // Only this end: a courier with a long report must wait until it is read, not lose half of it.
  setNonBlocking(report.readFd);
  const descriptors = {
    brief: brief.fd,
    go: go.readFd,
    report: report.writeFd,
    token: regions.token.fd,
    region: regions.secrets.fd,
    plan: plan.fd,
  };
  const pid = spawned({
    path: "/proc/self/exe",
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
  const tracing = mayTrace ? startTracing(pid) : notAsked;
  writeDescriptor(go.writeFd, Uint8Array.of(1));
  closeDescriptor(go.readFd);
  closeDescriptor(report.writeFd);
  return {
    pid,
    tracing,
    readPlan: () => readPlan(plan.fd),
    brief: (text) => sendBrief(text, brief.fd, go.writeFd),
    abandon: () => void sendSignal(pid, SIGKILL),
    report: new Response(Bun.file(report.readFd).stream()).text().then(readReport),
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
  writeDescriptor(goFd, length);
  closeDescriptor(goFd);
}
