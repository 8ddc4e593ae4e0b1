import { join } from "node:path";

/** A command to run with the pinned compilers. */
export interface ToolchainRun {
  /** The root folder that `fetchToolchain` made. */
  readonly root: string;
  readonly command: readonly string[];
  /** Paths in the root by paths of this machine. */
  readonly mounts: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The command line that runs a command in the root, in a new mount namespace. The command
 * sees the same paths on every machine. An ordinary user needs user namespaces; user_namespaces(7).
 */
export function toolchainCommand(run: ToolchainRun, isRoot: boolean): readonly string[] {
  const { root, command, mounts, environment } = run;
  const variables = { PATH: "/usr/bin", HOME: "/tmp", LC_ALL: "C.UTF-8", ...environment };
  return [
    ...["unshare", "--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])],
    ...["/bin/sh", join(import.meta.dir, "enter-root.sh"), root],
    ...Object.entries(mounts).map(([from, to]) => `${from}=${to}`),
    ...["--", "/usr/bin/env", "-i"],
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    ...command,
  ];
}
