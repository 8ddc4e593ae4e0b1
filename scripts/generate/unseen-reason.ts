/** What an attacker is told where there was nothing to attempt. */
const answers: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file on that kernel (`ENOENT`)",
  ENXIO: "secret memory cannot be opened a second time: the kernel refuses it (`ENXIO`)",
  ENOSYS:
    "the kernel has no x32 system calls and refuses them (`ENOSYS`); tracing tells of the call all the same",
  EPERM: "`lockdown` refuses it before BPF LSM is asked (`EPERM`)",
};

/** Whose file it is only the inode says. */
const byInode = [
  "proc-mem-opened-before",
  "proc-coredump-filter",
  "proc-clear-refs",
  "proc-oom-score-adj",
];

/**
 * Why an attack is no event on a kernel.
 *
 * @throws TypeError where nobody has written that down: then it is to be looked into.
 */
export function unseenReason(kernel: string, attack: string, answer: string): string {
  if (kernel === "linux-6.18" && attack === "proc-mem-opened-before") {
    return "tracing sees files when they are opened, and this one was before the registration";
  }
  if (kernel === "debian-6.1-confidential" && byInode.includes(attack)) {
    return "before Linux 6.2 whose file it is has to be read by a helper that `lockdown=confidentiality` forbids";
  }
  const reason = answers[answer];
  if (reason === undefined) {
    throw new TypeError(`on ${kernel} ${attack} is not seen, and ends with "${answer}": say why`);
  }
  return reason;
}
