/** The kernel's messages about its own faults. */
const wrong =
  /WARNING:|BUG:|Oops|Call Trace|\bstall|soft lockup|hung_task|blocked for more than|general protection|UBSAN|KASAN/;

/** Such lines of the kernel's log. */
export function kernelWarnings(): readonly string[] {
  const { stdout } = Bun.spawnSync(["/run/busybox", "dmesg"]);
  return stdout
    .toString()
    .split("\n")
    .filter((line) => wrong.test(line));
}
