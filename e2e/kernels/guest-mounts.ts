import type { GuestMachine } from "./guest-machine.ts";

/** By which a guest finds a folder of this machine. */
export interface FolderShare {
  readonly tag: string;
  readonly path: string;
}

/** The folders that a machine shares with this one, beside its first file system. */
export function folderShares({ shared }: GuestMachine): readonly FolderShare[] {
  return shared.map((path, index) => ({ tag: `shared${index}`, path }));
}

/**
 * A guest's preparations before it goes on in `/root`: a script of busybox's, in its first file
 * system. The packages are unpacked and not installed, so their users are missing.
 */
export function mountScript(machine: GuestMachine): string {
  const options = "trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro";
  const shares = folderShares(machine).flatMap(({ tag, path }) => [
    `$b mkdir -p '/root${path}'`,
    `$b mount -t 9p -o ${options} ${tag} '/root${path}' || fail "mount ${path}"`,
  ]);
  const covers = Object.entries(machine.covered).map(
    ([path, other]) => `$b mount --bind '/root${other}' '/root${path}' || fail "cover ${path}"`,
  );
  return [
    "$b mkdir -p /root/mnt",
    "[ -e /root/etc/passwd ] || echo 'root:x:0:0:root:/root:/bin/sh' >/root/etc/passwd",
    "[ -e /root/etc/group ] || echo 'root:x:0:' >/root/etc/group",
    ...shares,
    ...covers,
    "",
  ].join("\n");
}
