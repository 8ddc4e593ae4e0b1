import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../packages/protocol/src/index.ts";
import { type Crate, crateLicences, engineCrates } from "../engine/engine-crates.ts";
import { linkedPackages } from "../engine/toolchain/linked-packages.ts";
import { readPinnedPackages } from "../engine/toolchain/pinned-packages.ts";
import type { Say } from "../results/steps.ts";
import type { Architecture } from "./bundle/architecture.ts";
import type { BundleFile } from "./bundle/bundle-file.ts";
import { licenceTexts } from "./bundle/licence-texts.ts";
import { describeFiles, type Manifest } from "./bundle/manifest.ts";
import { writeBundle } from "./bundle/write-bundle.ts";
import { buildPreload } from "./preload.ts";
import { programsFolder } from "./programs-folder.ts";

/** The mount of the bundle. */
const mountFolder = "opt/svc";

/** Where things are. */
export interface BundlePlaces {
  /** The checkout; its dist has the programs of the architecture. */
  readonly root: string;
  readonly target: string;
}

/** Makes the bundle, and says whether it had to be written. */
export async function makeBundle(
  architecture: Architecture,
  { root, target }: BundlePlaces,
  say: Say,
): Promise<"written" | "same"> {
  const crates = await engineCrates(architecture.rustTarget, say);
  const files = [
    wrapper(architecture, root),
    interposer(architecture, root),
    ...licences(root, crates),
  ];
  const manifest = describeFiles(files, {
    version,
    architecture: architecture.name,
    parts: {
      ...linkedPackages(readPinnedPackages().packages, architecture.name),
      ...Object.fromEntries(crates.map((crate) => [crate.name, crate.version])),
    },
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

function wrapper(architecture: Architecture, root: string): BundleFile {
  const bytes = read(join(root, programsFolder(architecture), "svc-wrapper"));
  return { path: "bin/svc-wrapper", mode: 0o755, bytes };
}

/** The preload interposer. */
function interposer(architecture: Architecture, root: string): BundleFile {
  const bytes = read(buildPreload(root, architecture.name));
  return { path: "lib/libsvc-preload.so", mode: 0o644, bytes };
}

function licences(root: string, crates: readonly Crate[]): readonly BundleFile[] {
  const list = join(root, "scripts/build/bundle/THIRD-PARTY.md");
  const names = [
    "LICENSE",
    "THIRD-PARTY.md",
    "glibc.txt",
    "libgcc.txt",
    "LGPL-2.1.txt",
    "GPL-3.txt",
  ];
  const texts = licenceTexts(root, list);
  const files = names.map((name) => [name, read(texts[name] ?? "")] as const);
  // A third of a megabyte in each pod otherwise.
  const ofCrates = ["crates.txt.gz", Bun.gzipSync(crateLicences(crates), { level: 9 })] as const;
  return [...files, ofCrates].map(
    ([name, bytes]) => ({ path: `licenses/${name}`, mode: 0o644, bytes }) as const,
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
