import { describe, expect, test } from "bun:test";
import type { KernelInode } from "../kernel-inode.ts";
import { kernelIdentity } from "./kernel-identity.ts";

const mountinfo = `23 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
24 23 0:22 / /proc rw,nosuid - proc proc rw
123 23 0:31 /@home /home rw - btrfs /dev/sdb2 rw,subvol=/@home
312 23 4095:1048575 / /opt rw master:1 - xfs /dev/nvme0n1p3 rw
`;
const fdinfo = (mount: number) => `pos:\t0\nflags:\t012000000\nmnt_id:\t${mount}\nino:\t77\n`;

describe("kernelIdentity", () => {
  const rows: readonly (readonly [
    name: string,
    fdinfo: string,
    identity: KernelInode | undefined,
  ])[] = [
    ["a disk's", fdinfo(23), { device: 0x800001, inode: 77n }],
    ["a device without a disk", fdinfo(123), { device: 31, inode: 77n }],
    ["the largest numbers", fdinfo(312), { device: 0xffffffff, inode: 77n }],
    ["a mount whose number begins like another one's", fdinfo(24), { device: 22, inode: 77n }],
    ["a mount that is not there", fdinfo(12), undefined],
    ["a file of an older kernel", "pos:\t0\nmnt_id:\t23\n", { device: 0x800001, inode: 5n }],
    ["a text that says nothing", "", undefined],
    [
      "an inode beyond 2^53",
      "mnt_id:\t23\nino:\t18446744073709551615\n",
      { device: 0x800001, inode: 2n ** 64n - 1n },
    ],
  ];
  for (const [name, text, identity] of rows) {
    test(`knows ${name}`, () => {
      expect(kernelIdentity({ fdinfo: text, mountinfo }, 5n)).toEqual(identity);
    });
  }
});
