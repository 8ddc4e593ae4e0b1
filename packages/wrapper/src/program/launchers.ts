/**
 * Programs that do little themselves and start, or become, the one that is meant: values must reach
 * the program behind them. By the name that they are called by. Not csh, sudo and doas: they close every
 * descriptor before they start anything.
 */
const launchers: ReadonlySet<string> = new Set([
  // Shells
  ...["sh", "ash", "bash", "rbash", "dash", "zsh", "ksh", "ksh93", "mksh", "lksh", "oksh", "yash"],
  ...[
    "posh",
    "fish",
    "bash-static",
    "zsh5",
    "zsh-static",
    "mksh-static",
    "rc",
    "es",
    "elvish",
    "nu",
    "osh",
    "ysh",
    "hush",
  ],
  // Init processes of containers
  ...["tini", "tini-static", "docker-init", "dumb-init", "catatonit", "s6-svscan"],
  ...["execlineb", "with-contenv", "s6-envdir", "s6-setuidgid", "s6-applyuidgid", "s6-softlimit"],
  // What keeps services running
  ...["runit", "runsvdir", "runsv", "s6-supervise", "svscan", "supervise", "daemonize", "daemon"],
  // Users and namespaces
  ...["gosu", "su-exec", "setpriv", "runuser", "su", "chroot", "unshare", "nsenter", "capsh"],
  ...["chpst", "setuidgid", "envuidgid", "start-stop-daemon"],
  // Surroundings
  ...["env", "envdir", "nice", "ionice", "chrt", "taskset", "numactl", "nohup", "setsid", "stdbuf"],
  ...["timeout", "prlimit", "softlimit", "setarch", "linux32", "linux64", "time", "eatmydata"],
  ...["xargs", "flock", "chronic", "unbuffer", "faketime", "make", "watch"],
]);

/** One executable for many commands; the command is the name that it is called by, or its argument. */
const manyInOne: ReadonlySet<string> = new Set([
  ...["busybox", "busybox.static", "busybox-static", "toybox", "coreutils", "execline"],
]);

/**
 * The names that a program may go by: of the file that was executed, which for a script is not its
 * interpreter, and its first arguments.
 */
export interface ProgramNames {
  readonly executed: string;
  readonly argv: readonly string[];
}

/** True for a shell, an init process, or a command that starts another command. */
export function isLauncher({ executed, argv: [self = "", first = ""] }: ProgramNames): boolean {
  const names = [executed, self].map(baseName);
  if (names.some((name) => launchers.has(name))) return true;
  // `busybox sh`: called by its own name.
  return manyInOne.has(names[1] ?? "") && launchers.has(first);
}

/** `-sh` is a login shell. */
function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/^-/, "");
}
