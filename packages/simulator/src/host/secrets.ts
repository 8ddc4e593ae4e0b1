import { secretBytesFrom } from "@svc/secret-bytes";
import { KernelError } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { waitFor } from "./calls/descriptor-calls.ts";

const PATIENCE_US = 10_000_000;

/** The host's class of secrets. The simulation keeps them in its own heap. */
export function secretClass(machine: Machine) {
  return {
    from: (bytes: Uint8Array) => secretBytesFrom(bytes.slice()),
    read(path: string, limit: number) {
      const { bytes, kind } = found(() => machine.files.find(path, machine.running), "open");
      if (kind !== "regular") throw fault("read", new KernelError("EISDIR"));
      if (bytes.length > limit) throw fault("read", new KernelError("EFBIG"));
      machine.atBytes?.(bytes);
      return secretBytesFrom(bytes.slice());
    },
    readDescriptor(fd: number, limit: number) {
      const description = found(() => machine.running.description(fd), "read");
      const parts: number[] = [];
      const endUs = machine.nowUs + PATIENCE_US;
      for (;;) {
        if (!machine.wait(() => description.isReadable(), endUs)) {
          throw fault("read", new KernelError("EAGAIN"));
        }
        waitFor(machine, description, () => description.isReadable());
        const arrived = description.read(limit);
        if (arrived === undefined || arrived === "end") break;
        machine.atBytes?.(arrived);
        parts.push(...arrived);
        if (parts.length > limit) throw fault("read", new KernelError("EFBIG"));
      }
      return secretBytesFrom(Uint8Array.from(parts));
    },
  };
}

function found<T>(look: () => T, syscall: string): T {
  try {
    return look();
  } catch (error) {
    throw error instanceof KernelError ? fault(syscall, error) : error;
  }
}

/** The host's form of a refused call. */
export function fault(syscall: string, { errno, message }: KernelError): Error {
  return Object.assign(new Error(message), { errno, syscall });
}
