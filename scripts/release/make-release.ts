import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../packages/protocol/src/index.ts";
import { type Architecture, architectures } from "../build/bundle/architecture.ts";
import { archiveTimeSeconds } from "../build/bundle/archive-time.ts";
import { runTool } from "../build/bundle/run-tool.ts";
import { type ProgramName, programs } from "../build.ts";
import { linkedPackages } from "../engine/toolchain/linked-packages.ts";
import { readPinnedPackages } from "../engine/toolchain/pinned-packages.ts";
import type { ImageSources } from "../images/image-plan.ts";
import { imagePlans } from "../images/image-plan.ts";
import { layoutDigest } from "../images/make-images.ts";
import { readSources, type SourcePlaces } from "../images/read-sources.ts";
import { workFolder } from "../images/work-folder.ts";
import { writeArchive } from "../images/write-archive.ts";
import { writeLayer } from "../images/write-layer.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { bundledModules } from "./bundled-modules.ts";
import { nfpmConfiguration } from "./nfpm-configuration.ts";
import { type PackagePlan, packageEntries, packagePlans } from "./package-plan.ts";
import { charts, releaseChart } from "./release-chart.ts";

/** How a release is made. */
export interface ReleaseOptions extends SourcePlaces {
  readonly nfpm: string;
  readonly helm: string;
  /** The folder of the OCI layouts. */
  readonly images: string;
  readonly target: string;
  readonly architectures: readonly Architecture["name"][];
  /** The place in which the images and charts will be published; undefined if it is unknown. */
  readonly registry: string | undefined;
  /** The place of the published sources. */
  readonly source: string | undefined;
  readonly say: (line: string) => void;
}

/**
 * Makes everything that is published into one folder: archives, packages, images, charts, a bill of
 * materials of each program, and SHA256SUMS of them all. The folder is replaced when all is there.
 *
 * @returns the names of the files
 */
export async function makeRelease(options: ReleaseOptions): Promise<readonly string[]> {
  const { target } = options;
  using folder = workFolder(dirname(target));
  const work = folder.path;
  const files = join(work, "files");
  mkdirSync(files);
  for (const architecture of architectures) {
    if (!options.architectures.includes(architecture.name)) continue;
    const names = imagePlans
      .filter((plan) => plan.architectures.includes(architecture.name))
      .map(({ name }) => name);
    const sources = await readSources(architecture, names, options);
    for (const name of names) writeBill(name, sources, files, options.root);
    for (const plan of packagePlans) {
      if (!plan.architectures.includes(architecture.name)) continue;
      options.say(`${plan.name} for ${architecture.debianName}`);
      writePackages(plan, sources, { work, files, options });
    }
  }
  writeImages(files, options);
  for (const name of charts) releaseChart(name, files, { ...options, work });
  writeSums(files);
  rmSync(target, { recursive: true, force: true });
  renameSync(files, target);
  return readdirSync(target).sort();
}

interface Making {
  readonly work: string;
  readonly files: string;
  readonly options: ReleaseOptions;
}

/** An archive, a deb and an rpm of the same files. */
function writePackages(plan: PackagePlan, sources: ImageSources, making: Making): void {
  const { work, files, options } = making;
  const { debianName } = sources.architecture;
  const deploy = {
    systemd: join(options.root, "deploy/systemd"),
    packages: join(options.root, "deploy/packages"),
  };
  const entries = packageEntries(plan, sources, deploy);
  const tree = join(work, `${plan.name}-${debianName}`);
  const layer = writeLayer(
    entries.filter((entry) => entry.kind !== "folder"),
    tree,
  );
  renameSync(layer, join(files, `${plan.name}_${version}_linux_${debianName}.tar.gz`));
  for (const format of ["deb", "rpm"] as const) {
    const configuration = nfpmConfiguration(plan, entries, {
      ...{ format, architecture: debianName, version, tree, timeSeconds: archiveTimeSeconds },
      ...{ scripts: deploy.packages, homepage: options.source },
    });
    const path = join(work, `${plan.name}-${debianName}-${format}.json`);
    writeFileSync(path, JSON.stringify(configuration));
    const file = join(files, `${plan.name}_${version}_linux_${debianName}.${format}`);
    const words = ["package", "--config", path, "--packager", format, "--target", file];
    runTool(["env", `SOURCE_DATE_EPOCH=${archiveTimeSeconds}`, options.nfpm, ...words]);
  }
  rmSync(tree, { recursive: true });
}

function linkedInto({ name }: Architecture): Readonly<Record<string, string>> {
  return linkedPackages(readPinnedPackages().packages, name);
}

function writeBill(
  name: ProgramName,
  { architecture, crates, versions }: ImageSources,
  files: string,
  root: string,
): void {
  const modules = bundledModules(dirname(dirname(join(root, programs[name]))));
  const { glibc, bpf } = versions;
  const common = { name, version, architecture: architecture.debianName, modules };
  const onBun = { bunVersion: Bun.version, crates: [] };
  const bill = billOfMaterials(
    name === "svc-wrapper"
      ? { ...common, bunVersion: undefined, crates, debian: linkedInto(architecture) }
      : { ...common, ...onBun, debian: name === "svc-agent" ? { ...glibc, ...bpf } : glibc },
  );
  writeFileSync(join(files, `${name}_${version}_linux_${architecture.debianName}.cdx.json`), bill);
}

/** OCI archives, which `ctr image import`, `skopeo` and `podman load` read, and their digests. */
function writeImages(files: string, { images, say }: ReleaseOptions): void {
  const lines = imagePlans.map(({ name }) => {
    say(`image ${name}`);
    const archive = join(files, `${name}_${version}_oci.tar`);
    writeArchive(join(images, name), archive);
    return `${layoutDigest(join(images, name))}  ${name}:${version}\n`;
  });
  writeFileSync(join(files, `images_${version}.txt`), lines.join(""));
}

/** As `sha256sum --check SHA256SUMS` reads it. */
function writeSums(files: string): void {
  const lines = readdirSync(files)
    .sort()
    .map((name) => {
      const hash = createHash("sha256")
        .update(readFileSync(join(files, name)))
        .digest("hex");
      return `${hash}  ${name}\n`;
    });
  writeFileSync(join(files, "SHA256SUMS"), lines.join(""));
}
