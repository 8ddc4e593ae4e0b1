import { readdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "@svc/testing";
import { openDebianArchive } from "../../scripts/build/bundle/debian-archive.ts";

/** The parts of the guest that are not ours. */
export interface GuestSystem {
  readonly kernel: string;
  /** Files of this machine by their path in the guest. */
  readonly files: Readonly<Record<string, string>>;
}

/** Always the kernel of this machine's Debian release; the one for clouds is the smaller one. */
const kernelPackage = "linux-image-cloud-arm64";
const libraries = ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"] as const;

/**
 * Debian's arm64 kernel, a static busybox, and the libraries of a dynamic program. Cached by
 * version.
 */
export function guestSystem(): GuestSystem {
  const archive = openDebianArchive("arm64", cacheFolder(process.env));
  const kernelNames = archive.dependenciesOf(kernelPackage);
  const boot = join(archive.unpack("kernel", kernelNames).root, "boot");
  const kernel = readdirSync(boot).find((name) => name.startsWith("vmlinuz-"));
  if (kernel === undefined) throw new TypeError(`${boot}: there is no kernel in it`);
  const system = archive.unpack("guest", ["busybox-static", "libc6"]).root;
  const folder = "lib/aarch64-linux-gnu";
  return {
    kernel: join(boot, kernel),
    files: {
      "bin/busybox": join(system, "bin/busybox"),
      "lib/ld-linux-aarch64.so.1": join(system, folder, "ld-linux-aarch64.so.1"),
      ...Object.fromEntries(
        libraries.map((name) => [`${folder}/${name}`, join(system, folder, name)]),
      ),
    },
  };
}
