import { readdirSync, readFileSync } from "node:fs";

/** A process of a pod as the node sees it. */
export interface PodProcess {
  readonly pid: number;
  readonly name: string;
  /** Its effective user. */
  readonly user: number;
  /** Its effective capabilities, as bits. */
  readonly capabilities: bigint;
}

/** The processes of a pod's containers, without the one that holds its namespaces. */
export function processesOf(podUid: string): readonly PodProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const status = tryRead(`/proc/${pid}/status`);
    if (status === undefined || !tryRead(`/proc/${pid}/cgroup`)?.includes(`pod${podUid}`)) {
      return [];
    }
    const process = readStatus(Number(pid), status);
    return process.name === "pause" ? [] : [process];
  });
}

function readStatus(pid: number, status: string): PodProcess {
  const field = (name: string) =>
    new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1]?.split(/\s+/) ?? [];
  return {
    pid,
    name: field("Name").join(" "),
    user: Number(field("Uid")[1]),
    capabilities: BigInt(`0x${field("CapEff")[0] ?? "0"}`),
  };
}

/** A process may end while it is looked at. */
function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
