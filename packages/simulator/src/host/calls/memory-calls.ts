import { OpenFile } from "../../machine/descriptions.ts";
import { KernelError } from "../../machine/errors.ts";
import type { Machine } from "../../machine/machine.ts";

/** Calls about memory; mmap(2), mlock(2) and others. Locked memory is not counted. */
export function memoryCalls(machine: Machine) {
  return {
    mmap: (_: number, length: number, _protection: number, _flags: number, fd: number) => {
      const { running } = machine;
      const file = running.description(fd);
      if (!(file instanceof OpenFile)) throw new KernelError("ENODEV");
      const { bytes } = file.inode;
      if (Number(length) === 0) throw new KernelError("EINVAL");
      // A page behind the end of a file is not touched: SIGBUS is not modelled.
      if (Number(length) > bytes.length) throw new KernelError("EINVAL");
      return running.memory.map(bytes.subarray(0, Number(length)), true);
    },
    munmap: (address: number) => {
      machine.running.memory.unmap(Number(address));
      return 0;
    },
    mlock: () => 0,
    madvise: () => 0,
    memcpy: (target: number, source: number, length: number | bigint) => {
      const { memory } = machine.running;
      memory.view(target, Number(length)).set(memory.view(source, Number(length)));
      return target;
    },
    memset: (target: number, byte: number, length: number | bigint) => {
      machine.running.memory.view(target, Number(length)).fill(byte);
      return target;
    },
  };
}
