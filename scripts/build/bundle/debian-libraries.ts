import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Architecture } from "./architecture.ts";
import { openDebianArchive, type UnpackedPackages } from "./debian-archive.ts";
import { runTool } from "./run-tool.ts";

/** Which files of which packages. */
export interface LibraryRequest {
  /** The name of the folder in the cache. */
  readonly label: string;
  readonly packages: readonly string[];
  readonly names: readonly string[];
}

const glibc: LibraryRequest = {
  label: "glibc",
  packages: ["libc6", "libgcc-s1"],
  names: [
    ...["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"],
    // glibc asks for it by name if a thread ends early, and ends the process without it.
    "libgcc_s.so.1",
  ],
};

/** A library as Debian built it. */
export interface DebianLibrary {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Libraries as Debian built them. */
export interface FoundLibraries {
  readonly libraries: readonly DebianLibrary[];
  /** Version by package. */
  readonly versions: Readonly<Record<string, string>>;
}

/** glibc as Debian built it. */
export interface DebianLibraries extends FoundLibraries {
  readonly loader: Uint8Array;
}

/** Reads glibc and its loader, as `readLibraries` does. */
export function readDebianLibraries(
  architecture: Architecture,
  cacheFolder: string,
): DebianLibraries {
  const names = [architecture.loader, ...glibc.names];
  const { libraries, versions } = readLibraries(architecture, cacheFolder, { ...glibc, names });
  const [loader = { bytes: new Uint8Array() }, ...others] = libraries;
  return { loader: loader.bytes, libraries: others, versions };
}

/**
 * Reads the installed files if the architecture is this machine's. Otherwise it downloads the
 * packages of this machine's Debian release, once for each version.
 *
 * @throws Error if a file is in none of the packages' folders
 */
export function readLibraries(
  architecture: Architecture,
  cacheFolder: string,
  { label, packages, names }: LibraryRequest,
): FoundLibraries {
  const own = architecture.name === process.arch;
  const source = own
    ? installed(architecture, packages)
    : openDebianArchive(architecture.debianName, cacheFolder).unpack(label, packages);
  const folders = ["lib", "usr/lib"].map((lib) => join(source.root, lib, architecture.triplet));
  return {
    libraries: names.map((name) => ({ name, bytes: readFrom(folders, name) })),
    versions: source.versions,
  };
}

function installed({ debianName }: Architecture, packages: readonly string[]): UnpackedPackages {
  const names = packages.map((name) => `${name}:${debianName}`);
  return { root: "/", versions: versionsIn(runTool(["dpkg-query", "--show", ...names])) };
}

/** The versions in lines such as `libc6:amd64 2.36-9+deb12u14`, with a tab. */
function versionsIn(text: string): Readonly<Record<string, string>> {
  const lines = text.trim().split(/\n+/).sort();
  return Object.fromEntries(lines.map((line) => line.replace(/:\w+/, "").split("\t")));
}

function readFrom(folders: readonly string[], name: string): Uint8Array {
  const path = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (path === undefined) throw new Error(`find ${name}: it is not in ${folders.join(" or ")}`);
  return new Uint8Array(readFileSync(path));
}
