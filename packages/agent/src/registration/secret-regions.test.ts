import { describe, expect, test } from "bun:test";
import type { KernelInode } from "../kernel-inode.ts";
import { regionsIn, secretRegions } from "./secret-regions.ts";

describe("regions of secrets in /proc/PID/maps", () => {
  const line = (name: string, inode: string, device = "00:0f") =>
    `7f0000000000-7f0000001000 rw-s 00000000 ${device} ${inode}                      ${name}`;
  const rows: readonly (readonly [name: string, text: string, expected: readonly KernelInode[]])[] =
    [
      ["secret memory", line("/secretmem (deleted)", "77"), [{ inode: 77n, device: 15 }]],
      [
        "our memory",
        line("/memfd:svc-secrets (deleted)", "9", "01:a0"),
        [{ inode: 9n, device: 0x1000a0 }],
      ],
      ["others' memory", line("/memfd:cache (deleted)", "77"), []],
      ["a file that ends like it", line("/home/u/svc-secrets", "77"), []],
      ["a library", line("/usr/lib/libc.so.6", "77"), []],
      ["nothing", "", []],
      [
        "one of two pieces",
        `${line("/secretmem (deleted)", "7")}\n${line("/secretmem (deleted)", "7")}`,
        [{ inode: 7n, device: 15 }],
      ],
    ];
  for (const [name, text, expected] of rows) {
    test(name, () => expect(regionsIn(text)).toEqual([...expected]));
  }

  test("a process that has ended has none", () => expect(secretRegions(2 ** 22)).toEqual([]));
});
