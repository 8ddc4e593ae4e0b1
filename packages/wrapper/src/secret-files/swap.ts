import { readWholeFile, SyscallError } from "@svc/kernel";

const MOST_BYTES = 1 << 16;
const SWAPS = "/proc/swaps";
/** The limit of the cgroup that a container sees as its root; cgroup v2. */
const CGROUP_LIMIT = "/sys/fs/cgroup/memory.swap.max";

/** Why ordinary memory of this process may be written to a disk; undefined if it cannot be. */
export function swapProblem(): string | undefined {
  if (textOf(CGROUP_LIMIT)?.trim() === "0") return undefined;
  const swaps = textOf(SWAPS);
  if (swaps === undefined) return `${SWAPS}, which lists the swap of the machine, cannot be read`;
  const [, first = ""] = swaps.split("\n");
  return first === "" ? undefined : "the machine has swap, to which their memory may be written";
}

function textOf(path: string): string | undefined {
  try {
    return new TextDecoder().decode(readWholeFile(path, MOST_BYTES));
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}
