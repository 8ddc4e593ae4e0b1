/** Runs a command to its end. @throws Error with its complaints if it fails */
export function run(...command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { stdio: ["ignore", "ignore", "pipe"] });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
