/** Another apt-get may be at work, and hold the lock for as long as this. */
const LOCK_SECONDS = 600;

/**
 * Installs Debian packages, as root.
 *
 * @throws TypeError with the complaint of apt-get
 */
export function installPackages(names: readonly string[]): void {
  if (names.length === 0) return;
  run("update");
  run("install", "-y", "--no-install-recommends", ...names);
}

function run(...words: readonly string[]): void {
  const command = ["apt-get", "-o", `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...words];
  const { exitCode, stderr } = Bun.spawnSync(command, {
    // Debian would start the servers that it installs.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
  if (exitCode !== 0) throw new TypeError(`${command.join(" ")}: ${stderr.toString()}`);
}
