import type { BpfMap } from "@svc/kernel";
import type { KernelInode } from "../kernel-inode.ts";
import { inodeBytes } from "../kernel-inode.ts";
import { type ContainerRuntimes, noRuntimes } from "./find-runtimes.ts";

const present = Uint8Array.of(1, 0, 0, 0);

/**
 * Keeps the kernel side's map of runtimes: new ones are in it before those that they replace are
 * out of it.
 *
 * @param before its present entries; none by default
 */
export function runtimesWriter(
  map: Pick<BpfMap, "update" | "delete">,
  before: ContainerRuntimes = noRuntimes,
): (runtimes: ContainerRuntimes) => void {
  let written = byName(before);
  return (runtimes) => {
    const { executables } = runtimes;
    const wanted = byName(runtimes);
    for (const executable of executables) map.update(inodeBytes(executable), present);
    for (const [name, executable] of written) {
      if (!wanted.has(name)) map.delete(inodeBytes(executable));
    }
    written = wanted;
  };
}

function byName({ executables }: ContainerRuntimes): ReadonlyMap<string, KernelInode> {
  return new Map(executables.map((file) => [`${file.device}:${file.inode}`, file]));
}
