import { expect, test } from "bun:test";
import { findVolume, type TokenFile } from "./find-volume.ts";

const pod = "6e1f0a3c-1111-4222-8333-444455556666";
const volumes = `/var/lib/kubelet/pods/${pod}/volumes`;
const mountinfo = `23 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
301 23 0:57 / ${volumes}/kubernetes.io~projected/svc-account rw shared:9 - tmpfs tmpfs rw,size=64k
302 23 0:58 / /var/lib/kubelet/pods/other/volumes/kubernetes.io~projected/x rw - tmpfs tmpfs rw
303 23 8:17 / ${volumes}/kubernetes.io~local-volume/disk rw - ext4 /dev/sdb1 rw
`;
const token: TokenFile = { name: "token", device: 57, inode: 4n };

const rows: readonly (readonly [string, Partial<TokenFile>, object])[] = [
  [
    "a file of the pod's projected volume",
    {},
    { kind: "volume", folder: `${volumes}/kubernetes.io~projected/svc-account` },
  ],
  ["a file of another pod's volume", { device: 58 }, noVolume()],
  ["a file of the machine", { device: 8 * 2 ** 20 + 1 }, noVolume()],
  ["a file of a file system that is not mounted", { device: 570 }, noVolume()],
  ["a file of a disk", { device: 8 * 2 ** 20 + 17 }, none(/not a tmpfs: ext4/)],
  ["a name of 31 bytes", { name: "t".repeat(31) }, { kind: "volume" }],
  ["a name of 32 bytes", { name: "t".repeat(32) }, none(/1 to 31 bytes/)],
  ["a name whose characters have two bytes", { name: "é".repeat(16) }, none(/1 to 31 bytes/)],
  ["no name", { name: "" }, none(/1 to 31 bytes/)],
  ["a path", { name: "a/token" }, none(/1 to 31 bytes/)],
];
for (const [name, change, expected] of rows) {
  test(`${name}: ${"folder" in expected || !("reason" in expected) ? "found" : "refused"}`, () => {
    expect(findVolume({ ...token, ...change }, pod, mountinfo)).toMatchObject(expected);
  });
}

function none(reason: RegExp) {
  return { kind: "none", reason: expect.stringMatching(reason) };
}

function noVolume() {
  return none(/no volume that the kubelet mounted/);
}
