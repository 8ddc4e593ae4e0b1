import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Architecture } from "./architecture.ts";
import { openDebianArchive, type UnpackedPackages } from "./debian-archive.ts";
import { runTool } from "./run-tool.ts";

/** The packages that the libraries come from, and the files that are taken from them. */
const packages = ["libc6", "libgcc-s1"] as const;
const libraries = [
  ...["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"],
  // glibc asks for it by name where a thread ends early, and ends the process without it.
  "libgcc_s.so.1",
] as const;

/** glibc as Debian built it. */
export interface DebianLibraries {
  readonly loader: Uint8Array;
  readonly libraries: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Version by package. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Reads what is installed where the architecture is this machine's; else downloads the packages of
 * this machine's Debian release, once for each version.
 */
export function readDebianLibraries(
  architecture: Architecture,
  cacheFolder: string,
): DebianLibraries {
  const own = architecture.name === process.arch;
  const source = own
    ? installed(architecture)
    : openDebianArchive(architecture.debianName, cacheFolder).unpack("glibc", packages);
  const folder = join(source.root, "lib", architecture.triplet);
  return {
    loader: readBytes(join(folder, architecture.loader)),
    libraries: libraries.map((name) => ({ name, bytes: readBytes(join(folder, name)) })),
    versions: source.versions,
  };
}

function installed({ debianName }: Architecture): UnpackedPackages {
  const names = packages.map((name) => `${name}:${debianName}`);
  return { root: "/", versions: versionsIn(runTool(["dpkg-query", "--show", ...names])) };
}

/** Of lines such as `libc6:amd64 2.36-9+deb12u14`, with a tab. */
function versionsIn(text: string): Readonly<Record<string, string>> {
  const lines = text.trim().split(/\n+/).sort();
  return Object.fromEntries(lines.map((line) => line.replace(/:\w+/, "").split("\t")));
}

function readBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}
