/**
 * Runs a command to its end, with its output shown.
 *
 * @throws Error if it fails.
 */
export function run(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): void {
  const [program = ""] = command;
  const { exitCode } = Bun.spawnSync([...command], {
    env: { ...process.env, ...environment },
    stdout: "inherit",
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error(`${program} ended with status ${exitCode}`);
}
