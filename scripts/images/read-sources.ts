import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildBpf } from "../build/bpf.ts";
import type { Architecture } from "../build/bundle/architecture.ts";
import {
  type FoundLibraries,
  readDebianLibraries,
  readLibraries,
} from "../build/bundle/debian-libraries.ts";
import { licenceTexts } from "../build/bundle/licence-texts.ts";
import type { Manifest } from "../build/bundle/manifest.ts";
import { makeBundle } from "../build/bundle.ts";
import { programsFolder } from "../build/programs-folder.ts";
import { build, type ProgramName } from "../build.ts";
import { engineCrates } from "../engine/engine-crates.ts";
import { Steps } from "../results/steps.ts";
import type { ImageSources } from "./image-plan.ts";

/** The folders of sources and results. */
export interface SourcePlaces {
  readonly root: string;
  readonly cacheFolder: string;
}

/** libbpf, which the agent opens, and its dependencies besides glibc. */
const bpfLibraries = {
  label: "libbpf",
  packages: ["libbpf1", "libelf1", "zlib1g"],
  names: ["libbpf.so.1", "libelf.so.1", "libz.so.1"],
};

const none: FoundLibraries = { libraries: [], versions: {} };

/** Builds the parts of the images of an architecture, except for present ones. */
export async function readSources(
  architecture: Architecture,
  programs: readonly ProgramName[],
  { root, cacheFolder }: SourcePlaces,
): Promise<ImageSources> {
  const steps = new Steps((line) => void process.stdout.write(`${line}\n`));
  await build(architecture, [...new Set(["svc-wrapper", ...programs] as const)], steps);
  const suffix = architecture.name === process.arch ? "" : `-${architecture.name}`;
  const target = join(root, `dist/bundle${suffix}`);
  await makeBundle(architecture, { root, target }, steps.say);
  const bundleFolder = join(target, "opt/svc");
  const glibc = readDebianLibraries(architecture, cacheFolder);
  const hasAgent = programs.includes("svc-agent");
  const bpf = hasAgent ? readLibraries(architecture, cacheFolder, bpfLibraries) : none;
  return {
    architecture,
    bundle: filesOf(bundleFolder),
    bundleFolder,
    programs: join(root, programsFolder(architecture)),
    loader: glibc.loader,
    libraries: glibc.libraries,
    bpfObject: hasAgent ? buildBpf(root, architecture.name) : "",
    bpfLibraries: bpf.libraries,
    versions: { glibc: glibc.versions, bpf: bpf.versions },
    crates: await engineCrates(architecture.rustTarget, steps.say),
    licences: licenceTexts(root, join(root, "scripts/images/THIRD-PARTY.md")),
    bpfLicences: bpfLibraries.packages.map((name) => `/usr/share/doc/${name}/copyright`),
  };
}

function filesOf(folder: string): ImageSources["bundle"] {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const files = manifest.files.map(({ path, mode }) => {
    return { path, mode: mode === "755" ? 0o755 : 0o644 } as const;
  });
  return [...files, { path: "manifest.json", mode: 0o644 }];
}
