import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";

const MOUNT = "/sys/fs/cgroup";
const BESIDE = `${MOUNT}/unified`;

/** The hierarchy of cgroups v2: alone, or beside those of v1. */
const unified = existsSync(BESIDE) ? BESIDE : MOUNT;

/** Makes the cluster's cgroup in every hierarchy, and puts the process into it. */
export function enterClusterCgroup(name: string, pid: number): void {
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, name), { recursive: true });
  // A cgroup with its own processes cannot give its children controllers.
  const servers = join(unified, name, "servers");
  mkdirSync(servers, { recursive: true });
  writeFileSync(join(servers, "cgroup.procs"), String(pid));
  if (unified === MOUNT) giveControllers(join(unified, name));
}

function giveControllers(folder: string): void {
  const there = readFileSync(join(folder, "cgroup.controllers"), "utf8").trim();
  const wanted = there.split(" ").map((controller) => `+${controller}`);
  writeFileSync(join(folder, "cgroup.subtree_control"), wanted.join(" "));
}

/** The names of all clusters' cgroups that this machine has, of ended clusters too. */
export function clusterCgroups(prefix: string): readonly string[] {
  return readdirSync(unified).filter((name) => name.startsWith(prefix));
}

/** The ids of all processes of a cluster: its servers, and those of its pods. */
export function clusterProcesses(name: string): readonly string[] {
  const folder = join(unified, name);
  const lists = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith("cgroup.procs"),
  );
  return lists.flatMap((path) =>
    readFileSync(join(folder, path), "utf8").split("\n").filter(Boolean),
  );
}

/** Kills every process of a cluster's cgroup, and removes the cgroup. */
export async function removeClusterCgroup(name: string): Promise<void> {
  const folder = join(unified, name);
  if (!existsSync(folder)) return;
  writeFileSync(join(folder, "cgroup.kill"), "1");
  const isEmpty = () => /^populated 0$/m.test(readFileSync(join(folder, "cgroup.events"), "utf8"));
  await waitFor(isEmpty, { deadlineMs: 20_000, what: `the processes of ${name} to end` });
  for (const hierarchy of hierarchies()) removeTree(join(hierarchy, name));
}

function hierarchies(): readonly string[] {
  if (unified === MOUNT) return [MOUNT];
  return readdirSync(MOUNT)
    .map((name) => join(MOUNT, name))
    .filter((path) => statSync(path).isDirectory());
}

/** A cgroup's files go with it; only folders are removed. */
function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  }
  rmdirSync(folder);
}
