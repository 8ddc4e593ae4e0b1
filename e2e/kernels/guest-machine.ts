import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "@svc/testing";
import { type Architecture, architectures } from "../../scripts/build/bundle/architecture.ts";
import { openDebianArchive } from "../../scripts/build/bundle/debian-archive.ts";
import { foreignRuntime } from "../../scripts/build/bundle/foreign-runtime.ts";

/** The architecture of a guest, by the runtime's name. */
export type GuestArchitecture = Architecture["name"];

/** The machine of a guest, and the source of its files. */
export interface GuestMachine {
  readonly architecture: GuestArchitecture;
  readonly debianName: string;
  /** QEMU, as this machine. */
  readonly emulator: readonly string[];
  /** Words of the kernel's command line, for every kernel of it. */
  readonly settings: readonly string[];
  /** The folder that its first file system is. */
  readonly files: string;
  /** Folders of this machine that it has at the same paths. */
  readonly shared: readonly string[];
  /** Folders that a guest has from another place, by their paths in it. */
  readonly covered: Readonly<Record<string, string>>;
  readonly busybox: string;
  /** The runtime of its stories. */
  readonly runtime: string;
}

const root = join(import.meta.dirname, "../..");

/** Packages that the stories of a guest call, and that our programs need. */
const system = [
  ...["bash", "busybox-static", "coreutils", "dash", "findutils", "grep", "login", "sed"],
  ...["perl-base", "procps", "sysvinit-utils", "util-linux", "mount", "gcc", "libc6-dev"],
  ...["runc", "crun", "libbpf1"],
];

const machines = new Map<GuestArchitecture, GuestMachine>();

/**
 * That of an architecture. If it is not this machine's, its system is downloaded; once for each
 * version.
 */
export function guestMachine(architecture: GuestArchitecture): GuestMachine {
  const known = machines.get(architecture);
  if (known !== undefined) return known;
  const machine = architecture === "x64" ? x64Machine() : arm64Machine();
  machines.set(architecture, machine);
  return machine;
}

function x64Machine(): GuestMachine {
  return {
    architecture: "x64",
    debianName: "amd64",
    emulator: ["qemu-system-x86_64", "-machine", "pc", "-cpu", "max"],
    settings: ["console=ttyS0", "no_timer_check", "tsc=reliable"],
    ...{ files: "/", shared: [], covered: {} },
    busybox: Bun.which("busybox") ?? "/bin/busybox",
    runtime: process.execPath,
  };
}

/**
 * Its programs are its own, and the checkout is this machine's. Only the build's results are in
 * another folder.
 */
function arm64Machine(): GuestMachine {
  const cache = cacheFolder(process.env);
  const archive = openDebianArchive("arm64", cache);
  const files = archive.unpack("guest-system", archive.closureOf(system)).root;
  const built = Object.fromEntries(
    ["bin", "bpf", "lib"].map((name) => [
      join(root, "dist", name),
      join(root, `dist/${name}-arm64`),
    ]),
  );
  // A mount needs an existing folder.
  for (const folder of Object.keys(built)) mkdirSync(folder, { recursive: true });
  const architecture = architectures.find(({ name }) => name === "arm64");
  if (architecture === undefined) throw new TypeError("there are no programs for arm64");
  return {
    architecture: "arm64",
    debianName: "arm64",
    // Not -cpu max: Bun 1.4.5 crashes on it in code of its last compiler tier (QEMU 7.2).
    emulator: ["qemu-system-aarch64", "-machine", "virt", "-cpu", "neoverse-n1"],
    settings: ["console=ttyAMA0"],
    ...{ files, shared: [root, cache], covered: built },
    busybox: join(files, "bin/busybox"),
    runtime: foreignRuntime(architecture, cache),
  };
}
