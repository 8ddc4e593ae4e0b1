import type { SecretMemoryKind } from "@svc/kernel";
import type { WrapperSettings } from "./settings.ts";
import type { Tracing } from "./tracer/start-tracing.ts";

/** What the supervisor tells a courier. It holds no secret. */
export interface Brief {
  readonly settings: WrapperSettings;
  /** Bytes of VAULT_TOKEN in the token region; 0 where there is none. */
  readonly tokenLength: number;
  readonly memoryKind: SecretMemoryKind;
  /** The signals that the wrapper was started with as ignored: the program finds them so too. */
  readonly ignoredSignals: readonly number[];
  /** Descriptors above 2 that the wrapper was started with and that are meant for the program. */
  readonly inheritedFds: readonly number[];
  /** The supervisor's pid, for LISTEN_PID (sd_listen_fds(3)). */
  readonly supervisorPid: number;
  /** Whether the supervisor traces the courier. */
  readonly tracing: Tracing;
}

/** The descriptors that a courier is born with, in the order of its arguments. */
export interface CourierDescriptors {
  /** A memfd with the brief as JSON. */
  readonly brief: number;
  /** A pipe that brings one byte once tracing is settled, and the brief's length once it is written. */
  readonly go: number;
  /** A pipe for a report of failure; it closes without a word when the courier becomes the program. */
  readonly report: number;
  readonly token: number;
  readonly region: number;
  /** A memfd for the plan of the delivery. */
  readonly plan: number;
}

/** argv[0] of a courier: what `ps` shows, and how the executable knows its part. */
export const courierName = "svc-courier";

const order = ["brief", "go", "report", "token", "region", "plan"] as const;

/** The arguments that hand the descriptors over. */
export function descriptorWords(descriptors: CourierDescriptors): readonly string[] {
  return order.map((name) => String(descriptors[name]));
}

/** Reads them back; undefined where the words are not a courier's. */
export function readDescriptorWords(words: readonly string[]): CourierDescriptors | undefined {
  const [brief, go, report, token, region, plan] = words.slice(0, order.length).map(Number);
  const read = { brief, go, report, token, region, plan };
  return isComplete(read) ? read : undefined;
}

/** How many arguments descriptorWords makes. */
export const descriptorWordCount = order.length;

function isComplete(read: Record<keyof CourierDescriptors, number | undefined>): read is {
  [Name in keyof CourierDescriptors]: number;
} {
  return Object.values(read).every((fd) => Number.isSafeInteger(fd) && Number(fd) >= 0);
}
