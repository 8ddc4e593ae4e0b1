import { readdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "@svc/testing";
import { openDebianArchive } from "../../scripts/build/bundle/debian-archive.ts";
import type { GuestImage } from "./guest-image.ts";
import type { DebianImageName } from "./guest-kernels.ts";
import { type GuestArchitecture, type GuestMachine, guestMachine } from "./guest-machine.ts";
import { kernelModules } from "./kernel-modules.ts";

/** The files of this machine come by 9p over virtio, and are written to in memory only. */
const wantedModules = ["virtio_pci", "9pnet_virtio", "9p", "overlay", "binfmt_misc"];

/**
 * The newest kernels of their lines as Debian has built them, by the package that depends on them;
 * downloaded once for each version. Nothing of them is installed.
 */
export function debianKernels<Name extends DebianImageName>(
  names: readonly Name[],
): ReadonlyMap<Name, GuestImage> {
  const wanted = [...new Set(names)];
  return new Map(
    (["x64", "arm64"] as const).flatMap((architecture) => {
      const own = wanted.filter((name) => architectureOf(name) === architecture);
      return own.length === 0 ? [] : imagesOf(guestMachine(architecture), own);
    }),
  );
}

function architectureOf(name: DebianImageName): GuestArchitecture {
  return name.endsWith("-arm64") ? "arm64" : "x64";
}

function imagesOf<Name extends DebianImageName>(
  machine: GuestMachine,
  names: readonly Name[],
): readonly (readonly [Name, GuestImage])[] {
  const archive = openDebianArchive(machine.debianName, cacheFolder(process.env));
  return names.map((name) => {
    const images = archive.dependenciesOf(name).filter((image) => image.startsWith("linux-image"));
    return [name, kernelIn(machine, archive.unpack("kernel", images).root)];
  });
}

function kernelIn(machine: GuestMachine, root: string): GuestImage {
  const image = readdirSync(join(root, "boot")).find((name) => name.startsWith("vmlinuz-"));
  if (image === undefined) throw new TypeError(`${root}: there is no kernel in it`);
  const release = image.slice("vmlinuz-".length);
  return {
    machine,
    release,
    image: join(root, "boot", image),
    modules: kernelModules(join(root, "lib/modules", release), wantedModules),
  };
}
