import { architecture } from "@svc/kernel";
import { layoutHere } from "../../src/tracer/register-layout.ts";
import { Memory } from "./memory.ts";
import { type Behavior, type MachineFile, programFile } from "./program.ts";
import { Process, Thread } from "./thread.ts";

/** A system call that waits for the listener's answer; seccomp_unotify(2). */
export interface Announced {
  readonly id: bigint;
  readonly thread: Thread;
  readonly number: number;
  readonly parameters: readonly number[];
  isTaken: boolean;
}

/** The region of the secrets: its bytes are shared by all that map it. */
export interface Region {
  readonly fd: number;
  readonly inode: number;
  readonly bytes: Uint8Array;
}

/** Larger than any pid that Linux gives: no call reaches a real process. */
const FIRST_PID = 5_000_000;
export const LISTENER_FD = 900_001;
export const SIGNALS_FD = 900_002;
export const REGION_FD = 900_003;
/** The region's descriptor in the courier. */
export const REGION_THERE = 7;

/** The state of the machine. */
export class MachineState {
  readonly self = process.pid;
  readonly layout = layoutHere();
  readonly architecture = architecture;
  readonly processes = new Map<number, Process>();
  readonly files = new Map<string, MachineFile>();
  /** The code that the kernel maps into each program; two pages, and room at the end. */
  readonly vdso = madeUpVdso();
  region: Region = { fd: REGION_FD, inode: 77, bytes: new Uint8Array(8192) };
  announced: Announced[] = [];
  /** Announcements that the listener has heard of, and not taken. */
  unread = 0;
  isListenerOpen = true;
  /** False once the descriptor that hears of SIGCHLD is closed. */
  hearsChildren = true;
  /** True if the filter announces changes of the user. */
  announcesUsers = false;
  /** Threads that have ended, and whose tracer has not heard of it. */
  readonly endedThreads = new Set<number>();
  /** A SIGCHLD is pending. */
  childSignal = false;
  nowMs = 1000;
  /** The user of this process, for one call; the others of the machine have theirs. */
  actingUser = 0;
  /** True if the kernel lets us trace processes of other users. */
  tracesAllUsers = true;
  /** The text of /proc/self; undefined if /proc is not mounted. */
  procShows: string | undefined = String(process.pid);
  /** False if the kernel maps no vDSO into this process. */
  hasVdso = true;
  /** False if proc_mem.force_override is "never". */
  isMemoryWritable = true;
  /** /proc/self/status. */
  ownStatus = "NoNewPrivs:\t1\nCapEff:\t0000000000000000\n";
  /** Calls that the kernel refuses every program, by name. */
  readonly refusals = new Map<string, number>();
  /** Other texts of /proc, by path. */
  readonly texts = new Map<string, string>();
  /** True if something waits for ever. */
  isHung = false;
  #nextPid = FIRST_PID;
  #nextId = 1n;

  newId(): bigint {
    this.#nextId += 1n;
    return this.#nextId;
  }

  newPid(): number {
    this.#nextPid += 1;
    return this.#nextPid;
  }

  addFile(path: string, more: Partial<MachineFile> = {}): MachineFile {
    const file = programFile(path, more);
    this.files.set(path, file);
    return file;
  }

  /** A child of this process, which runs a behavior; it is in no program of a file. */
  startChild(behavior: Behavior, parent = this.self): Process {
    const file = programFile("/svc/courier", { behavior });
    const { layout } = this;
    const pid = this.newPid();
    const child = new Process({ pid, parent, layout, memory: new Memory(), file });
    child.threads.push(new Thread(child, pid, new Uint8Array(layout.lengthBytes)));
    this.processes.set(pid, child);
    return child;
  }

  thread(tid: number): Thread | undefined {
    for (const { threads } of this.processes.values()) {
      const found = threads.find((thread) => thread.tid === tid);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The thread, if this process traces it and it lives. */
  tracee(tid: number): Thread | undefined {
    const thread = this.thread(tid);
    return thread?.traced === undefined || thread.isDead ? undefined : thread;
  }

  get threads(): readonly Thread[] {
    return [...this.processes.values()].flatMap((process) => process.threads);
  }

  /** Those that have not ended. */
  get living(): readonly Process[] {
    return [...this.processes.values()].filter(({ end }) => end === undefined);
  }
}

/** ELF header, sections' end and then zeros; vdso(7). */
function madeUpVdso(): Uint8Array {
  const image = new Uint8Array(8192);
  image.fill(0x90, 64, 0x800);
  const header = new DataView(image.buffer);
  header.setUint32(0, 0x7f454c46);
  header.setBigUint64(40, 0x1200n, true);
  header.setUint16(58, 64, true);
  header.setUint16(60, 4, true);
  return image;
}
