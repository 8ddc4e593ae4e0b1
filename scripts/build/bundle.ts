import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../packages/protocol/src/version.ts";
import { programsFolder } from "../build.ts";
import type { Architecture } from "./bundle/architecture.ts";
import type { BundleFile } from "./bundle/bundle-file.ts";
import { type DebianLibraries, readDebianLibraries } from "./bundle/debian-libraries.ts";
import { describeFiles, type Manifest } from "./bundle/manifest.ts";
import { writeBundle } from "./bundle/write-bundle.ts";
import { closeLoader } from "./close-loader.ts";
import { ElfFile } from "./elf.ts";
import { buildPreload } from "./preload.ts";

/** Where the bundle is mounted; its paths are in its files. */
const mountFolder = "opt/svc";
const loaderPath = `/${mountFolder}/lib/ld.so`;

/** Where things are. */
export interface BundlePlaces {
  /** The checkout; its dist has the programs of the architecture. */
  readonly root: string;
  readonly cacheFolder: string;
  readonly target: string;
}

/** Makes the bundle, and says whether it had to be written. */
export function makeBundle(architecture: Architecture, places: BundlePlaces): "written" | "same" {
  const { root, cacheFolder, target } = places;
  const debian = readDebianLibraries(architecture, cacheFolder);
  const files = [
    { path: "bin/svc-wrapper", mode: 0o755, bytes: wrapper(architecture, root) } as const,
    ...libraryFiles(debian),
    interposer(architecture, root),
    ...licences(root),
  ];
  const manifest = describeFiles(files, {
    version,
    architecture: architecture.name,
    parts: { bun: Bun.version, ...debian.versions },
  });
  const text = manifestText(manifest);
  if (isThere(join(target, mountFolder), manifest, text)) return "same";
  const last = {
    path: "manifest.json",
    mode: 0o644,
    bytes: new TextEncoder().encode(text),
  } as const;
  writeBundle(target, mountFolder, [...files, last]);
  return "written";
}

/** The compiled wrapper, with the bundle's loader in place of the machine's. */
function wrapper(architecture: Architecture, root: string): Uint8Array {
  const bytes = read(join(root, programsFolder(architecture), "svc-wrapper"));
  new ElfFile(bytes).setInterpreter(loaderPath);
  return bytes;
}

function libraryFiles({ loader, libraries }: DebianLibraries): readonly BundleFile[] {
  closeLoader(loader, `/${mountFolder}/lib/`);
  return [
    { path: "lib/ld.so", mode: 0o755, bytes: loader },
    ...libraries.map(({ name, bytes }) => ({ path: `lib/${name}`, mode: 0o644, bytes }) as const),
  ];
}

/** The preload interposer. */
function interposer(architecture: Architecture, root: string): BundleFile {
  const bytes = read(buildPreload(root, architecture.name));
  return { path: "lib/libsvc-preload.so", mode: 0o644, bytes };
}

/** Texts of the licences, from this repository and from where Debian keeps them. */
function licences(root: string): readonly BundleFile[] {
  const texts = {
    LICENSE: join(root, "LICENSE"),
    "THIRD-PARTY.md": join(root, "scripts/build/bundle/THIRD-PARTY.md"),
    "glibc.txt": "/usr/share/doc/libc6/copyright",
    "libgcc.txt": "/usr/share/doc/libgcc-s1/copyright",
    "LGPL-2.txt": "/usr/share/common-licenses/LGPL-2",
    "LGPL-2.1.txt": "/usr/share/common-licenses/LGPL-2.1",
    "GPL-3.txt": "/usr/share/common-licenses/GPL-3",
  };
  return Object.entries(texts).map(
    ([name, path]) => ({ path: `licenses/${name}`, mode: 0o644, bytes: read(path) }) as const,
  );
}

function isThere(folder: string, { files }: Manifest, text: string): boolean {
  const path = join(folder, "manifest.json");
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) return false;
  return files.every(
    (file) => statSync(join(folder, file.path), { throwIfNoEntry: false })?.size === file.bytes,
  );
}

function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

function read(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}
