import {
  closeDescriptor,
  createScratchMemory,
  makePipe,
  makeSocketPair,
  type Pipe,
  receiveDescriptor,
  type SecretMemory,
  SIGKILL,
  type SocketPair,
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
import { isHidden } from "./hidden-variables.ts";
import { readMessages } from "./message-pipe.ts";

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
  /** Ends one that could not be given its job, and gives its descriptors back. */
  discard(): void;
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

/** The supervisor's ends of its connections with a courier, and the courier's ends. */
interface Connections {
  readonly job: number;
  readonly plan: number;
  readonly go: SocketPair;
  readonly report: Pipe;
  /** Undefined if the courier is not traced. */
  readonly listener: SocketPair | undefined;
}

/** Starts a courier, which waits for its job. */
export async function startCourier(
  origin: CourierOrigin,
  options: CourierOptions,
): Promise<Courier> {
  const opened: number[] = [];
  const connections = connect(options.mayTrace, opened);
  const pid = await started(origin.starter, birthOf(origin, options, connections)).catch(
    (error) => {
      closeAll(opened);
      throw error;
    },
  );
  return courierOf(pid, options, connections);
}

/** @param opened gets each descriptor. */
function connect(mayTrace: boolean, opened: number[]): Connections {
  const own = (...fds: readonly number[]) => void opened.push(...fds);
  try {
    const job = createScratchMemory("svc-job");
    own(job);
    const plan = createScratchMemory("svc-plan");
    own(plan);
    const go = makeSocketPair();
    own(go.here, go.there);
    const report = makePipe();
    own(report.readFd, report.writeFd);
    const listener = mayTrace ? makeSocketPair() : undefined;
    if (listener !== undefined) own(listener.here, listener.there);
    return { job, plan, go, report, listener };
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

function closeAll(fds: readonly number[]): void {
  for (const fd of fds) closeDescriptor(fd);
}

function birthOf(
  { arrival, programWords }: CourierOrigin,
  options: CourierOptions,
  { job, plan, go, report, listener }: Connections,
): CourierBirth {
  const descriptors = {
    ...{ job, plan, go: go.there, report: report.writeFd },
    session: options.session,
    newSession: options.newSession.fd,
    region: options.region,
    listener: listener?.there ?? -1,
  };
  const encoder = new TextEncoder();
  const numbers = descriptorWords(descriptors).map((word) => encoder.encode(word));
  return {
    words: [...numbers, ...programWords],
    environment: arrival.environment.filter((entry) => !isHidden(entry)),
    descriptors: [...Object.values(descriptors), ...arrival.inheritedFds].filter((fd) => fd >= 0),
    blockedSignals: arrival.blockedSignals,
    mayTrace: options.mayTrace,
  };
}

function courierOf(
  pid: number,
  { mayTrace, region }: CourierOptions,
  { job, plan, go, report, listener }: Connections,
): Courier {
  const tracing = mayTrace ? startTracing(pid) : notAsked;
  // One that has been killed reads no more.
  const letGo = () => writeIfPossible(go.here, Uint8Array.of(1));
  letGo();
  closeDescriptor(go.there);
  closeDescriptor(report.writeFd);
  if (listener !== undefined) closeDescriptor(listener.there);
  const dispose = () => {
    closeDescriptor(go.here);
    closeDescriptor(plan);
    if (listener !== undefined) closeDescriptor(listener.here);
  };
  return {
    pid,
    tracing,
    readPlan: () => readPlan(plan),
    regionFd: region,
    takeListener: () => listener && receiveDescriptor(listener.here),
    statusPage: new StatusPage(plan),
    assign: (message, login) => sendJob(message, { jobFd: job, go: go.here, login }),
    go: letGo,
    abandon: () => void sendSignal(pid, SIGKILL),
    messages: readMessages(report.readFd),
    dispose,
    discard: () => {
      sendSignal(pid, SIGKILL);
      closeDescriptor(report.readFd);
      dispose();
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
  try {
    writeDescriptor(jobFd, bytes);
  } finally {
    closeDescriptor(jobFd);
  }
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
