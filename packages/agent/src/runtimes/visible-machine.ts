import { readlinkSync } from "node:fs";
import { findRuntimes, type Machine } from "./find-runtimes.ts";

/**
 * The machine, for a process with its numbers of processes; undefined if this process cannot tell
 * the machine's mount namespace from one of a container.
 *
 * @param proc the mount of procfs
 */
export function visibleMachine(
  { machinePids }: { readonly machinePids: boolean },
  proc = "/proc",
): Machine | undefined {
  if (!machinePids) return undefined;
  const first = machineAt(`${proc}/1`);
  if (isReadable(first)) return first;
  // Some machines let no process look into their first one. The second is the kernel's, in the
  // machine's namespaces.
  const own = mountNamespaceOf(`${proc}/self`);
  if (own === undefined || own !== mountNamespaceOf(`${proc}/2`)) return undefined;
  return { ...machineAt(`${proc}/self`), root: "/" };
}

function machineAt(process: string): Machine {
  return {
    root: `${process}/root`,
    mountinfo: `${process}/mountinfo`,
    mountNamespace: `${process}/ns/mnt`,
  };
}

function isReadable(machine: Machine): boolean {
  try {
    findRuntimes([], machine);
    return true;
  } catch {
    return false;
  }
}

function mountNamespaceOf(process: string): string | undefined {
  try {
    return readlinkSync(`${process}/ns/mnt`);
  } catch {
    return undefined;
  }
}
