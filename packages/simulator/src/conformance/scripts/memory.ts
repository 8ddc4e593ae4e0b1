import type { KernelUnderTest, Outcome, Scripts } from "../calls/kernel-under-test.ts";
import { cText, flags, numberOf, readText, writeText } from "../calls/words.ts";
import { status } from "./files.ts";

const PAGE = 4096;
const READ_WRITE = 3;
const SHARED = 1;
const MEMFD_SECRET = 447;

/** memfd_create(2), memfd_secret(2) and mmap(2). */
export const memory: Scripts = {
  "a memory file": (kernel) => {
    const fd = memoryFile(kernel);
    return [
      status(kernel, fd, ""),
      writeText(kernel, fd, "abc"),
      kernel.call("lseek", fd, 0, 0),
      readText(kernel, fd, 9),
      kernel.call("ftruncate", fd, PAGE),
      status(kernel, fd, ""),
      kernel.call("ftruncate", fd, 2),
      status(kernel, fd, ""),
    ];
  },
  "two mappings of a file share its bytes, and a write goes through": (kernel) => {
    const fd = memoryFile(kernel);
    kernel.call("ftruncate", fd, PAGE);
    const [one, other] = [mapped(kernel, fd), mapped(kernel, fd)];
    kernel.bytesAt(numberOf(one), PAGE).set([0x61, 0x62]);
    const seen = [...kernel.bytesAt(numberOf(other), PAGE).subarray(0, 2)];
    kernel.call("pwrite", fd, cText("z"), 1, 1);
    const after = kernel.bytesAt(numberOf(one), PAGE)[1] ?? -1;
    kernel.call("close", fd);
    return [...seen, after, kernel.bytesAt(numberOf(other), PAGE)[0] ?? -1];
  },
  "secret memory is mapped and not read": (kernel) => {
    const fd = numberOf(kernel.call("syscall", MEMFD_SECRET, flags.closeOnExec));
    const outcomes: Outcome[] = [
      status(kernel, fd, "").replace(/^0 /, "100000 "),
      kernel.call("ftruncate", fd, PAGE),
      kernel.call("ftruncate", fd, PAGE * 2),
      kernel.call("ftruncate", fd, PAGE),
      readText(kernel, fd, 1),
      writeText(kernel, fd, "a"),
      kernel.call("pread", fd, new Uint8Array(1), 1, 0),
      kernel.call("pwrite", fd, new Uint8Array(1), 1, 0),
    ];
    const [one, other] = [mapped(kernel, fd), mapped(kernel, fd)];
    kernel.bytesAt(numberOf(one), PAGE).set([7]);
    return [...outcomes, kernel.bytesAt(numberOf(other), PAGE)[0] ?? -1];
  },
  "mappings that are refused": (kernel) => [
    mapped(kernel, 777),
    kernel.call("mmap", 0, 0, READ_WRITE, SHARED, memoryFile(kernel), 0),
  ],
};

/** An empty memory file. */
export function memoryFile(kernel: KernelUnderTest): number {
  return numberOf(kernel.call("memfd_create", cText("x"), 1));
}

function mapped(kernel: KernelUnderTest, fd: number): Outcome {
  return kernel.call("mmap", 0, PAGE, READ_WRITE, SHARED, fd, 0);
}
