import { installPackages } from "@svc/testing";

/** The commands that make and run a guest, and their Debian packages. */
const packages: Readonly<Record<string, string>> = {
  "qemu-system-x86_64": "qemu-system-x86",
  busybox: "busybox-static",
  xz: "xz-utils",
  // They run in the guest.
  runc: "runc",
  crun: "crun",
};

/** Installs the missing ones. */
export function ensureGuestTools(): void {
  const missing = Object.keys(packages).filter((command) => Bun.which(command) === null);
  installPackages(missing.flatMap((command) => packages[command] ?? []));
}
