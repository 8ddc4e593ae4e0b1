import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Architecture } from "./architecture.ts";
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
  const source = own ? installed(architecture) : download(architecture, cacheFolder);
  const folder = join(source.root, "lib", architecture.triplet);
  return {
    loader: readBytes(join(folder, architecture.loader)),
    libraries: libraries.map((name) => ({ name, bytes: readBytes(join(folder, name)) })),
    versions: source.versions,
  };
}

interface Source {
  readonly root: string;
  readonly versions: Readonly<Record<string, string>>;
}

function installed({ debianName }: Architecture): Source {
  const names = packages.map((name) => `${name}:${debianName}`);
  return { root: "/", versions: versionsIn(runTool(["dpkg-query", "--show", ...names])) };
}

/** apt with folders of its own: what this machine has installed is neither asked nor changed. */
function download({ debianName }: Architecture, cacheFolder: string): Source {
  const state = join(cacheFolder, `apt-${debianName}`);
  const archives = join(state, "archives");
  mkdirSync(join(state, "lists/partial"), { recursive: true });
  mkdirSync(join(archives, "partial"), { recursive: true });
  const options = {
    "Dir::State": state,
    "Dir::Cache": state,
    "Dir::State::status": "/dev/null",
    "APT::Architecture": debianName,
    "APT::Architectures": debianName,
    "APT::Sandbox::User": "root",
  };
  const words = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  runTool(["apt-get", "-qq", ...words, "update"]);
  for (const old of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
    rmSync(join(archives, old));
  }
  runTool(["apt-get", "-qq", ...words, "download", ...packages], archives);
  return unpack(archives, cacheFolder, debianName);
}

function unpack(archives: string, cacheFolder: string, debianName: string): Source {
  const files = readdirSync(archives).filter((name) => name.endsWith(".deb"));
  const lines = files.map((name) => runTool(["dpkg-deb", "--show", join(archives, name)]));
  const versions = versionsIn(lines.join("\n"));
  const root = join(
    cacheFolder,
    `glibc-${debianName}-${packages.map((x) => versions[x]).join("-")}`,
  );
  if (existsSync(root)) return { root, versions };
  const fresh = `${root}.${process.pid}`;
  for (const name of files) runTool(["dpkg-deb", "--extract", join(archives, name), fresh]);
  renameSync(fresh, root);
  return { root, versions };
}

/** Of lines such as `libc6:amd64 2.36-9+deb12u14`, with a tab. */
function versionsIn(text: string): Readonly<Record<string, string>> {
  const lines = text.trim().split(/\n+/).sort();
  return Object.fromEntries(lines.map((line) => line.replace(/:\w+/, "").split("\t")));
}

function readBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}
