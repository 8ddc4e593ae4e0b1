/** The answer to an attacker that had nothing to attempt. */
const answers: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file on that kernel (`ENOENT`)",
  ENXIO: "secret memory cannot be opened a second time: the kernel refuses it (`ENXIO`)",
  ENOSYS:
    "the kernel has no x32 system calls and refuses them (`ENOSYS`); tracing reports the call all the same",
  EPERM: "`lockdown` refuses it before BPF LSM is asked (`EPERM`)",
};

/** Only the inode tells whose file it is. */
const byInode = [
  "proc-mem-opened-before",
  "proc-coredump-filter",
  "proc-clear-refs",
  "proc-oom-score-adj",
];

/** Kernels whose hooks BPF programs cannot be called from. */
const hookless = [
  ...["linux-6.18", "override", "override-disarmed", "debian-6.12-arm64-without-ftrace"],
];

/** The data that was sent. */
const byUse = ["scm-rights", "scm-rights-map", "scm-rights-before-map"];

/**
 * Why an attack is not an event on a kernel.
 *
 * @throws TypeError for an outcome without a written reason: look into it.
 */
export function unseenReason(kernel: string, attack: string, answer: string): string {
  if (attack === "proc-map-files-common") {
    return "only an enforcing agent watches mappings that programs share, and only by hooks: without that limit every link that a process follows would be";
  }
  if (attack === "perf-children") {
    return "a sampler that is inherited makes no system call, and only hooks are asked about it";
  }
  if (kernel.includes("-arm64") && attack.endsWith("-by-x32")) {
    return "arm64 has no x32 (`ENOSYS`)";
  }
  if (hookless.includes(kernel) && byUse.includes(attack)) {
    return "tracing sees how descriptors are used only while the agent enforces: every read of every program would be looked at";
  }
  if (kernel === "debian-6.1-confidential" && byInode.includes(attack)) {
    return "before Linux 6.2 whose file it is has to be read by a helper that `lockdown=confidentiality` forbids";
  }
  if (kernel.endsWith("-confidential") && attack.startsWith("child-ld-")) {
    return "a program's environment is read by a helper that `lockdown=confidentiality` forbids";
  }
  const reason = answers[answer];
  if (reason === undefined) {
    throw new TypeError(`on ${kernel} ${attack} is not seen, and ends with "${answer}": say why`);
  }
  return reason;
}
