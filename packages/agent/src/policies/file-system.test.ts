import { describe, expect, test } from "bun:test";
import { fileSystemOf } from "./file-system.ts";

const mountinfo = `22 1 0:21 / /proc rw,relatime - proc proc rw
28 1 8:1 / / rw,relatime shared:1 master:2 - ext4 /dev/root rw
31 28 0:40 / /home/alice/a\\040-\\040b rw - fuse.sshfs alice@host: rw
33 28 0:44 / /merged rw - overlay overlay rw,lowerdir=/a
`;
const fdinfo = (mount: number) => `pos:\t0\nflags:\t010000000\nmnt_id:\t${mount}\nino:\t5\n`;

describe("fileSystemOf", () => {
  const rows: readonly (readonly [number, ReturnType<typeof fileSystemOf>])[] = [
    [28, { type: "ext4", holdsFiles: true }],
    [31, { type: "fuse.sshfs", holdsFiles: false }],
    [33, { type: "overlay", holdsFiles: false }],
    [22, { type: "proc", holdsFiles: false }],
    [2, undefined],
  ];
  for (const [mount, wanted] of rows) {
    test(`mount ${mount}: ${wanted?.type ?? "not among them"}`, () => {
      expect(fileSystemOf({ fdinfo: fdinfo(mount), mountinfo })).toEqual(wanted);
    });
  }

  test("a descriptor without a mount has none", () => {
    expect(fileSystemOf({ fdinfo: "", mountinfo })).toBeUndefined();
  });
});
