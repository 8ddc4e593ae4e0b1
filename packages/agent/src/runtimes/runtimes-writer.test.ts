import { expect, test } from "bun:test";
import { inodeBytes } from "../kernel-inode.ts";
import { runtimesWriter } from "./runtimes-writer.ts";

const runc = { inode: 2n ** 63n, device: 0x800001 };
const crun = { inode: 7n, device: 0xffffffff };

test("the kernel side's map has the last found runtimes, and always keeps those that stay", () => {
  const steps: string[] = [];
  const write = runtimesWriter({
    update: (key) => void steps.push(`+${key.toHex()}`),
    delete: (key) => steps.push(`-${key.toHex()}`) > 0,
  });
  const hex = (executable: typeof runc) => inodeBytes(executable).toHex();
  for (const executables of [[runc], [runc, crun], [crun], []]) {
    write({ mountNamespace: 1, executables });
  }
  expect(steps).toEqual([
    `+${hex(runc)}`,
    ...[`+${hex(runc)}`, `+${hex(crun)}`],
    ...[`+${hex(crun)}`, `-${hex(runc)}`],
    `-${hex(crun)}`,
  ]);
});
