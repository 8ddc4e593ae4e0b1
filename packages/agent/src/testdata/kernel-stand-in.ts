import {
  closeDescriptor,
  makePipe,
  type ProgramRuns,
  type RecordVisitor,
  readDescriptor,
  writeDescriptor,
} from "@svc/kernel";
import { agentState } from "../monitor/agent-state.ts";
import { type Capabilities, kindsOf } from "../monitor/capabilities.ts";
import type { Blindness, Monitor } from "../monitor/load-monitor.ts";
import { monitorPrograms } from "../monitor/monitor-programs.ts";
import { type StopPolicy, stopPolicy } from "../monitor/stop-policy.ts";
import { stopsOf } from "../monitor/stop-rows.ts";
import { TokenFileWriter } from "../token-files/token-file-maps.ts";
import { attemptBy, EVENT_BYTES } from "./attempt-record.ts";
import { type RecordingMarks, recordingMarks } from "./recording-marks.ts";

/** A kernel side in memory, which acts as a test wants. */
export interface KernelStandIn extends AsyncDisposable {
  readonly monitor: Monitor;
  readonly marks: RecordingMarks;
  /** The process made an attempt of kind 2 (`process_vm_readv`) on a program. */
  readonly attempt: (pid: number) => void;
  /** Records that nothing has released. */
  readonly waiting: () => number;
  /** Whether an agent has said that it lives. */
  readonly hasHeartbeat: () => boolean;
}

/** A kernel that lets no program in. */
export const blindKernel: Blindness = {
  reason: "bpf_object__load: EPERM",
  hint: "allow bpf(2)",
  capabilities: capabilitiesOf(
    "none",
    stopPolicy({ enforce: false, enforceNode: false, reactiveKill: false }),
  ),
};

/** One whose programs hook into the kernel's decisions. */
export function kernelStandIn(policy: StopPolicy): KernelStandIn {
  const [ring, everything] = [ringOfPipe(), ringOfPipe()];
  const marks = recordingMarks();
  let state = new Uint8Array(24);
  const map = { update: () => undefined, delete: () => true };
  const standIn = {
    capabilities: capabilitiesOf("lsm", policy),
    ...{ marks, keepRegions: () => undefined },
    tokenFiles: new TokenFileWriter({
      ...{ volumes: map, names: map, readers: map, inodes: map, kubelets: map },
    }),
    state: agentState({
      lookup: () => state,
      update: (_, value) => {
        state = Uint8Array.from(value);
      },
    }),
    ...{ allowRuntimes: () => undefined, allowPolicies: () => undefined },
    ...{ violations: ring.ring, everything: everything.ring },
    drops: () => ({ violations: 0n, everything: 0n, inheritances: 0n }),
    isCalled: () => true,
    runs: () => new Map<string, ProgramRuns>(),
    [Symbol.dispose]: () => undefined,
  };
  return {
    // Rings and marks of the kernel are classes, of which the agent uses these parts.
    ...{ monitor: standIn as unknown as Monitor, marks },
    attempt: (pid) => ring.put(attemptBy(pid)),
    waiting: ring.waiting,
    hasHeartbeat: () => new DataView(state.buffer).getBigUint64(0, true) !== 0n,
    [Symbol.asyncDispose]: async () => {
      ring.close();
      everything.close();
    },
  };
}

function capabilitiesOf(tier: "lsm" | "none", policy: StopPolicy): Capabilities {
  const programs = monitorPrograms.filter(({ mechanism }) => mechanism === tier);
  const { kinds, unseen } = kindsOf(programs);
  const facts = { knowsInodes: true, readsKernel: true, seesMemory: true, killsSharers: true };
  const unused = { state: "unused" } as const;
  return {
    ...{ tier, kinds, unseen, isPinned: false, refused: [] },
    mechanisms: {
      lsm: { state: tier === "lsm" ? "used" : "refused" },
      ...{ fmod_ret: unused, override: unused, tracing: unused },
    },
    ...stopsOf({ tier, policy, seen: kinds, ...facts }),
  };
}

/** Its records stay until they are released, and its descriptor is readable as long. */
function ringOfPipe() {
  const { readFd, writeFd } = makePipe({ nonBlocking: true });
  let records: DataView[] = [];
  let read = 0;
  const release = (): void => {
    if (read > 0) readDescriptor(readFd, read);
    records = records.slice(read);
    read = 0;
  };
  const ring = {
    fd: readFd,
    read: (visit: RecordVisitor, isEnough: () => boolean): number => {
      read = 0;
      for (const record of records) {
        visit(record, 0, EVENT_BYTES);
        read += 1;
        if (isEnough()) break;
      }
      return read;
    },
    drain: () => 0,
    ...{ release, rest: () => undefined },
  };
  return {
    ring,
    waiting: () => records.length,
    put: (record: DataView) => {
      records.push(record);
      writeDescriptor(writeFd, new Uint8Array(1));
    },
    close: () => {
      closeDescriptor(readFd);
      closeDescriptor(writeFd);
    },
  };
}
