import type { SecretMemoryKind } from "@svc/kernel";
import type { Tracing } from "../program/tracing.ts";
import type { FileWay } from "../secret-files/passed-file.ts";
import type { WrapperSettings } from "../settings.ts";
import type { CourierJob } from "./courier-job.ts";

/** The supervisor's message to a courier. It holds no secret. */
export interface JobMessage {
  readonly settings: WrapperSettings;
  readonly job: CourierJob;
  /** Bytes in the session region; 0 if no session has begun. */
  readonly sessionLength: number;
  readonly memoryKind: SecretMemoryKind;
  /** The signals that the wrapper was started with as ignored: the program finds them so too. */
  readonly ignoredSignals: readonly number[];
  /** Descriptors above 2 that the wrapper was started with and that are meant for the program. */
  readonly inheritedFds: readonly number[];
  /** The supervisor's pid, for LISTEN_PID (sd_listen_fds(3)). */
  readonly supervisorPid: number;
  /** Whether the supervisor traces the courier. */
  readonly tracing: Tracing;
  /** How files get to the program; absent if no secret becomes one. */
  readonly fileWay?: FileWay;
  /** If the courier logs in with a token that the agent gives. */
  readonly agentConnection?: AgentConnection;
}

/** The supervisor's connection to the agent, which comes with the job. */
export interface AgentConnection {
  /** Why there is none. */
  readonly problem?: string;
}

/** The descriptors that a courier is born with. */
export interface CourierDescriptors {
  /** A memfd with the job as JSON. */
  readonly job: number;
  /**
   * A socket. It brings one byte once tracing is settled. Then it brings the job's length, with the
   * connection to the agent. A courier that waits before it becomes the program gets one more byte.
   */
  readonly go: number;
  /** A pipe for messages; it closes when the courier ends or becomes the program. */
  readonly report: number;
  /** The session that began before; empty if none did. */
  readonly session: number;
  /** Where a new session goes. */
  readonly newSession: number;
  /**
   * The secret region of the program: empty before a delivery, the running program's in a refresh.
   */
  readonly region: number;
  /** A memfd for the plan of a delivery, or for the metrics that an unseal server serves. */
  readonly plan: number;
  /** A socket for the listener of the program's filter; -1 if the courier is not traced. */
  readonly listener: number;
}

/** argv[0] of a courier: `ps` shows it, and the executable recognises its part by it. */
export const courierName = "svc-courier";

const order = [
  "job",
  "go",
  "report",
  "session",
  "newSession",
  "region",
  "plan",
  "listener",
] as const;

/** The arguments that hand the descriptors over. */
export function descriptorWords(descriptors: CourierDescriptors): readonly string[] {
  return order.map((name) => String(descriptors[name]));
}

/** Reads them back; undefined if the words are not a courier's. */
export function readDescriptorWords(words: readonly string[]): CourierDescriptors | undefined {
  const numbers = words.slice(0, order.length).map(Number);
  const [job, go, report, session, newSession, region, plan, listener] = numbers;
  const read = { job, go, report, session, newSession, region, plan, listener };
  return isComplete(read) ? read : undefined;
}

/** How many arguments descriptorWords makes. */
export const descriptorWordCount = order.length;

function isComplete(read: Record<keyof CourierDescriptors, number | undefined>): read is {
  [Name in keyof CourierDescriptors]: number;
} {
  return Object.values(read).every((fd) => Number.isSafeInteger(fd) && Number(fd) >= -1);
}
