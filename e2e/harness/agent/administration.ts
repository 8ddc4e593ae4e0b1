import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** One command of root's, as words. */
export type AdministrationCommand = readonly string[];

const READABLE_BY_OTHERS = 0o004;

/** Files that agents of monitoring read of every process. */
const monitoring: Readonly<Record<string, readonly string[]>> = {
  "an exporter of metrics": [
    "stat",
    "statm",
    "status",
    "io",
    "limits",
    "schedstat",
    "smaps_rollup",
  ],
  "an agent of containers": ["cgroup", "net/dev", "net/tcp", "mountinfo", "smaps", "oom_score"],
  "a sensor of system calls": ["environ", "cmdline", "status", "loginuid", "maps", "cgroup", "exe"],
};

/**
 * Commands of an administrator that every machine runs beside a process. The agent must punish none
 * of them.
 */
export function ordinaryAdministration(
  pid: number,
): readonly (readonly [who: string, commands: readonly AdministrationCommand[]])[] {
  const at = (name: string) => `/proc/${pid}/${name}`;
  return [
    [
      "ps",
      [
        ["ps", "aux"],
        ["ps", "-ef"],
        ["ps", "-eLf"],
        ["ps", "auxe"],
        ["ps", "-p", `${pid}`],
      ],
    ],
    [
      "top",
      [
        ["top", "-bn1"],
        ["top", "-H", "-bn1"],
      ],
    ],
    [
      "pgrep",
      [
        ["pgrep", "-af", "svc"],
        ["pidof", "svc-attack"],
        ["kill", "-0", `${pid}`],
      ],
    ],
    [
      "lsof",
      [
        ["lsof", "-n", "-P", "-p", `${pid}`],
        ["ls", "-l", at("fd"), at("ns"), at("task")],
      ],
    ],
    ...Object.entries(monitoring).map(
      ([who, names]) => [who, names.filter(isThere).map((name) => ["cat", at(name)])] as const,
    ),
    ["a process that reads public files", worldReadable(pid).map((path) => ["cat", path])],
  ];
}

/** A kernel may be built without `io`, `schedstat` or `loginuid`. */
function isThere(name: string): boolean {
  return existsSync(`/proc/self/${name}`);
}

/** The files of a process and of its first thread that every process may open. */
function worldReadable(pid: number): readonly string[] {
  return [`/proc/${pid}`, `/proc/${pid}/task/${pid}`].flatMap((folder) =>
    namesIn(folder)
      .map((name) => join(folder, name))
      .filter(isWorldReadable),
  );
}

/** None of a process that has ended. */
function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function isWorldReadable(path: string): boolean {
  try {
    const facts = statSync(path);
    return facts.isFile() && (facts.mode & READABLE_BY_OTHERS) !== 0;
  } catch {
    // The process ends: procfs answers EACCES for its links.
    return false;
  }
}
