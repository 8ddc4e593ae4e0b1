/** Runs a command to its end and gives its output; throws Error with its complaint. */
export function runTool(
  cmd: readonly string[],
  cwd?: string,
  env?: Readonly<Record<string, string | undefined>>,
): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync({
    cmd: [...cmd],
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
  });
  if (exitCode !== 0) throw new Error(`run ${cmd.join(" ")}: exit code ${exitCode}: ${stderr}`);
  return stdout.toString();
}
