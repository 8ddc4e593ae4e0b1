/** Another test may install at the same time. */
const LOCK_SECONDS = 600;

/** Installs Debian packages; throws TypeError with apt-get's complaint. */
export function installPackages(names: readonly string[]): void {
  if (names.length === 0) return;
  run(["apt-get", "update"]);
  const wait = `DPkg::Lock::Timeout=${LOCK_SECONDS}`;
  run(["apt-get", "-o", wait, "install", "-y", "--no-install-recommends", ...names]);
}

function run(command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], {
    // Debian would start the servers that it installs.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
  if (exitCode !== 0) throw new TypeError(`${command.join(" ")}: ${stderr.toString()}`);
}
