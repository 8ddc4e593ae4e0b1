/** Attacks on files that ask for no ptrace check: whose they are only the inode says. */
const byInode = [
  "proc-mem-opened-before",
  "proc-coredump-filter",
  "proc-clear-refs",
  "proc-oom-score-adj",
];

/** What an attacker is told where there was nothing to attempt. */
const answers: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file on that kernel (`ENOENT`)",
  ENXIO: "secret memory cannot be opened a second time: the kernel refuses it (`ENXIO`)",
  ENOSYS:
    "the kernel has no x32 system calls and refuses them (`ENOSYS`); tracing tells of the call all the same",
  EPERM: "`lockdown` refuses it before BPF LSM is asked (`EPERM`)",
};

/**
 * Why an attack is no event on a kernel.
 *
 * @throws TypeError where nobody has written that down: then it is to be looked into.
 */
export function unseenReason(kernel: string, attack: string, answer: string): string {
  if (byInode.includes(attack)) {
    if (kernel.startsWith("debian-6.1-") || kernel === "debian-6.1") {
      return "before Linux 6.2 a program has no way from `/proc/PID`'s inode to the process";
    }
    if (kernel.endsWith("-confidential")) {
      return "with `lockdown=confidentiality` a program may not read `/proc/PID`'s inode";
    }
    if (attack === "proc-mem-opened-before") {
      return "tracing sees files when they are opened, and this one was before the registration";
    }
  }
  const reason = answers[answer];
  if (reason === undefined) {
    throw new TypeError(`on ${kernel} ${attack} is not seen, and ends with "${answer}": say why`);
  }
  return reason;
}
