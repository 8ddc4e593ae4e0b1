import {
  closeDescriptor,
  createScratchMemory,
  makePipe,
  makeSocketPair,
  receiveDescriptor,
  type SecretMemory,
  SIGKILL,
  SyscallError,
  sendMessage,
  sendSignal,
  writeDescriptor,
  writeIfPossible,
  yieldProcessor,
} from "@svc/kernel";
import { type DeliveryPlan, readPlan } from "../delivery-plan.ts";
import { failure, refusedCall, WrapperError } from "../errors.ts";
import type { CourierMessage } from "../messages/courier-message.ts";
import { descriptorWords, type JobMessage } from "../messages/job-message.ts";
import { StatusPage } from "../messages/status-page.ts";
import type { Tracing } from "../program/tracing.ts";
import type { CourierBirth, CourierStarter } from "../runtime.ts";
import { startTracing } from "../tracer/start-tracing.ts";
import type { Arrival } from "./arrival.ts";
import { readMessages } from "./message-pipe.ts";
import { tokenVariable } from "./take-token.ts";

/** A courier that waits for its job. */
export interface Courier {
  readonly pid: number;
  readonly tracing: Tracing;
  /** Its plan for the moment when it becomes the program; undefined before its message. */
  readPlan(): DeliveryPlan | undefined;
  /** The region that it was born with; the supervisor's. */
  readonly regionFd: number;
  /** The listener of the program's filter, if the courier has sent it. */
  takeListener(): number | undefined;
  /** The metrics, for an unseal server to serve. */
  readonly statusPage: StatusPage;
  /** Lets it work. `login` is a connection to the agent, of which it gets a copy. */
  assign(message: JobMessage, login?: number): void;
  /** Lets one that waits with everything fetched become the program. */
  go(): void;
  /** Ends it. */
  abandon(): void;
  /** Its messages, until it ends or has become the program. Read it once. */
  readonly messages: AsyncIterable<CourierMessage>;
  /** Gives its descriptors back; it has ended, or become the program. */
  dispose(): void;
}

/** A courier, and the regions that only it has so far. */
export interface BornCourier {
  readonly courier: Courier;
  readonly newSession: SecretMemory;
  readonly region: SecretMemory;
}

/** The common inputs of all couriers. */
export interface CourierOrigin {
  readonly arrival: Arrival;
  readonly starter: CourierStarter;
  readonly programWords: readonly Uint8Array[];
}

/** The inputs of one courier. */
export interface CourierOptions {
  readonly session: number;
  readonly newSession: SecretMemory;
  readonly region: number;
  /** False if nothing is delivered that needs it. */
  readonly mayTrace: boolean;
}

const notAsked: Tracing = { kind: "impossible", reason: "SVC_DELIVERY does not ask for it" };

/** Starts a courier, which waits for its job. */
export async function startCourier(
  origin: CourierOrigin,
  options: CourierOptions,
): Promise<Courier> {
  const { arrival, starter, programWords } = origin;
  const job = createScratchMemory("svc-job");
  const plan = createScratchMemory("svc-plan");
  const go = makeSocketPair();
  const report = makePipe();
  const listener = options.mayTrace ? makeSocketPair() : undefined;
  const descriptors = {
    job: job,
    go: go.there,
    report: report.writeFd,
    session: options.session,
    newSession: options.newSession.fd,
    region: options.region,
    plan: plan,
    listener: listener?.there ?? -1,
  };
  const encoder = new TextEncoder();
  const numbers = descriptorWords(descriptors).map((word) => encoder.encode(word));
  const pid = await started(starter, {
    words: [...numbers, ...programWords],
    environment: arrival.environment.filter(({ name }) => name !== tokenVariable),
    descriptors: [...Object.values(descriptors), ...arrival.inheritedFds].filter((fd) => fd >= 0),
    blockedSignals: arrival.blockedSignals,
    mayTrace: options.mayTrace,
  });
  const tracing = options.mayTrace ? startTracing(pid) : notAsked;
  writeDescriptor(go.here, Uint8Array.of(1));
  closeDescriptor(go.there);
  closeDescriptor(report.writeFd);
  if (listener !== undefined) closeDescriptor(listener.there);
  return {
    pid,
    tracing,
    readPlan: () => readPlan(plan),
    regionFd: options.region,
    takeListener: () => listener && receiveDescriptor(listener.here),
    statusPage: new StatusPage(plan),
    assign: (message, login) => sendJob(message, { jobFd: job, go: go.here, login }),
    // One that has been killed reads no more.
    go: () => writeIfPossible(go.here, Uint8Array.of(1)),
    abandon: () => void sendSignal(pid, SIGKILL),
    messages: readMessages(report.readFd),
    dispose: () => {
      closeDescriptor(go.here);
      closeDescriptor(plan);
      if (listener !== undefined) closeDescriptor(listener.here);
    },
  };
}

async function started(starter: CourierStarter, birth: CourierBirth): Promise<number> {
  try {
    return await starter.start(birth);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const attempt = "start the courier: ";
    if (error.syscall !== "fork" || error.code !== "EAGAIN") {
      throw new WrapperError([refusedCall(error, attempt)], error);
    }
    const message = `${attempt}${error.message}: the limit of processes is reached`;
    throw new WrapperError([failure("PROCESS_LIMIT", message)], error);
  }
}

interface JobChannel {
  readonly jobFd: number;
  readonly go: number;
  readonly login: number | undefined;
}

function sendJob(message: JobMessage, { jobFd, go, login }: JobChannel): void {
  const bytes = new TextEncoder().encode(JSON.stringify(message));
  writeDescriptor(jobFd, bytes);
  closeDescriptor(jobFd);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  try {
    sendMessage(go, length, login);
  } catch (error) {
    // One that has been killed reads no more.
    if (!(error instanceof SyscallError) || error.code !== "EPIPE") throw error;
  }
  // The kernel may have woken it on this processor, on which it would wait until the supervisor
  // sleeps.
  yieldProcessor();
}
