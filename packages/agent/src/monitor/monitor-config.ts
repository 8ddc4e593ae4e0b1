import type { KernelInode } from "../kernel-inode.ts";

/**
 * The settings of the programs, written before they are loaded; `struct svc_config` of
 * bpf/config.h.
 */
export interface MonitorConfig {
  /**
   * Calls that reach for protected processes are watched at their entry; needs Linux 6.2, and 6.14
   * for callers in a pid namespace.
   */
  readonly watchTargets: boolean;
  /** Changes to the kernel are reported for every process. */
  readonly watchNode: boolean;
  /** Attempts on all processes go to the ring of everything. */
  readonly logAll: boolean;
  /** The ptrace check reports files of /proc/PID: no other hook knows of them. */
  readonly accessByCheck: boolean;
  /** bpf_probe_read_kernel may be called: not under lockdown=confidentiality. */
  readonly readKernel: boolean;
  /** Uses of descriptors are watched at the entry of calls. */
  readonly watchUses: boolean;
  /** `refuse_call` is attached. */
  readonly override: boolean;
  /** `watch_memory` is attached. */
  readonly watchMemory: boolean;
  /** Kinds to stop, and kinds for which the actor may be killed: bits. */
  readonly stopped: bigint;
  readonly killed: bigint;
  /** How long the guards hold without an agent, in nanoseconds. */
  readonly deadlineNs: bigint;
  /** The folder of the pins; zeros if there is none. */
  readonly pins: KernelInode;
  /** Number of the machine's mount namespace; 0 if it is not known. */
  readonly mountNamespace: number;
  /**
   * Types of perf_event_open(2) by which probes are put into programs and into the kernel; 0 if
   * there are none.
   */
  readonly probes: ProbeTypes;
  /** Attempts to stop go through, and their events say how they would have ended. */
  readonly dryRun: boolean;
}

/** Numbers of the kernel's own, which differ from machine to machine. */
export interface ProbeTypes {
  readonly uprobe: number;
  readonly kprobe: number;
}

/** A monitor that looks and stops nothing. */
export const observing: MonitorConfig = {
  ...{ watchTargets: false, watchNode: false, logAll: false, accessByCheck: false },
  ...{ readKernel: false, watchUses: false, override: false, watchMemory: false },
  ...{ stopped: 0n, killed: 0n, deadlineNs: 0n, mountNamespace: 0 },
  pins: { inode: 0n, device: 0 },
  probes: { uprobe: 0, kprobe: 0 },
  dryRun: false,
};

const CONFIG_BYTES = 64;
const at = {
  stopped: 8,
  killed: 16,
  deadline: 24,
  pins: 32,
  pinsDevice: 40,
  mount: 48,
  uprobe: 52,
  kprobe: 56,
  dryRun: 60,
} as const;

/** The bytes of the object's section `.rodata.config`. */
export function configBytes(config: MonitorConfig): Uint8Array {
  const { watchTargets, watchNode, logAll, accessByCheck, readKernel } = config;
  const { watchUses, override, watchMemory, pins } = config;
  const bytes = new Uint8Array(CONFIG_BYTES);
  const view = new DataView(bytes.buffer);
  const switches = [watchTargets, watchNode, logAll, accessByCheck, readKernel];
  bytes.set([...switches, watchUses, override, watchMemory].map(Number));
  view.setBigUint64(at.stopped, config.stopped, true);
  view.setBigUint64(at.killed, config.killed, true);
  view.setBigUint64(at.deadline, config.deadlineNs, true);
  view.setBigUint64(at.pins, pins.inode, true);
  view.setUint32(at.pinsDevice, pins.device, true);
  view.setUint32(at.mount, config.mountNamespace, true);
  view.setUint32(at.uprobe, config.probes.uprobe, true);
  view.setUint32(at.kprobe, config.probes.kprobe, true);
  view.setUint8(at.dryRun, Number(config.dryRun));
  return bytes;
}

/** A device as stat(2) gives it, as the kernel has it (MKDEV of include/linux/kdev_t.h). */
export function kernelDevice(device: bigint): number {
  const major = Number((device >> 8n) & 0xfffn);
  const minor = Number((device & 0xffn) | ((device >> 12n) & 0xfff00n));
  return major * 2 ** 20 + minor;
}
