/** What the programs are told before they are loaded; `struct svc_config` of bpf/event.h. */
export interface MonitorConfig {
  /** Calls that reach for protected processes are watched at their entry; needs Linux 6.2, and 6.14 for callers in a pid namespace. */
  readonly watchTargets: boolean;
  /** What changes the kernel is reported whoever does it. */
  readonly watchNode: boolean;
  /** Attempts on anyone go to the ring of everything. */
  readonly logAll: boolean;
  /** The ptrace check reports files of /proc/PID: no other hook knows of them. */
  readonly accessByCheck: boolean;
  /** bpf_probe_read_kernel may be called: not under lockdown=confidentiality. */
  readonly readKernel: boolean;
}

/** The bytes of the object's section `.rodata.config`. */
export function configBytes(config: MonitorConfig): Uint8Array {
  const { watchTargets, watchNode, logAll, accessByCheck, readKernel } = config;
  return Uint8Array.from([watchTargets, watchNode, logAll, accessByCheck, readKernel].map(Number));
}
