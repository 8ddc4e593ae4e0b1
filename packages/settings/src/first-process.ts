const programs: ReadonlySet<string> = new Set([
  "openrc-init",
  "runit",
  "runit-init",
  "s6-linux-init",
  "systemd",
]);

/** `/init` of s6-overlay, `/sbin/init` of systemd, runit, OpenRC, sysvinit and BusyBox. */
const paths: ReadonlySet<string> = new Set([
  "/init",
  "/bin/init",
  "/sbin/init",
  "/usr/bin/init",
  "/usr/sbin/init",
]);

/**
 * True for the program of an init system that runs only as process 1, as far as its path tells. For
 * a hint: an unknown one may refuse to run as another process, too.
 */
export function mustBeFirstProcess(path: string): boolean {
  return paths.has(path) || programs.has(path.slice(path.lastIndexOf("/") + 1));
}
