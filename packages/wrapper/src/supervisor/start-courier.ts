import {
  closeDescriptor,
  createPlainMemory,
  cString,
  makePipe,
  sendSignal,
  setNonBlocking,
  spawnProcess,
  stringVector,
  writeDescriptor,
} from "@svc/kernel";
import { type Brief, courierName, descriptorWords } from "../brief.ts";
import { type CourierReport, readReport } from "../courier-report.ts";
import type { Arrival } from "./arrival.ts";
import type { Regions } from "./regions.ts";
import { tokenVariable } from "./take-token.ts";

const SIGKILL = 9;

/** A courier that waits for its brief. */
export interface Courier {
  readonly pid: number;
  /** Lets it work. */
  brief(brief: Brief): void;
  /** Ends it before it was briefed. */
  abandon(): void;
  /** What it left behind when it ended, or became the program. */
  readonly report: Promise<CourierReport>;
}

/**
 * Starts a courier before anything else: it boots on one core while the supervisor reads its
 * settings on the other.
 */
export function startCourier(
  arrival: Arrival,
  regions: Regions,
  programWords: readonly Uint8Array[],
): Courier {
  const brief = createPlainMemory("svc-brief");
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
  };
  const pid = spawnProcess({
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
  closeDescriptor(go.readFd);
  closeDescriptor(report.writeFd);
  return {
    pid,
    brief: (text) => sendBrief(text, brief.fd, go.writeFd),
    abandon: () => void sendSignal(pid, SIGKILL),
    report: new Response(Bun.file(report.readFd).stream()).text().then(readReport),
  };
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
