import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../packages/protocol/src/index.ts";
import { type Architecture, architectures } from "../build/bundle/architecture.ts";
import type { ProgramName } from "../build.ts";
import { type CraneRegistry, startCraneRegistry } from "./crane-registry.ts";
import { imageLabels, type LabelFacts } from "./image-labels.ts";
import { type ImagePlan, type ImageSources, imageEntries, imagePlans } from "./image-plan.ts";
import { readSources, type SourcePlaces } from "./read-sources.ts";
import { workFolder } from "./work-folder.ts";
import { writeLayer } from "./write-layer.ts";

/** Which images, for which architectures. */
export interface ImagesRequest {
  readonly names: readonly ProgramName[];
  readonly architectures: readonly Architecture["name"][];
}

/** How they are made. */
export interface ImagesOptions extends SourcePlaces {
  /** The path of crane. */
  readonly crane: string;
  /** The folder of the OCI layouts. */
  readonly target: string;
  readonly facts: Omit<LabelFacts, "version">;
  readonly say: (line: string) => void;
}

/** An image that was made. */
export interface MadeImage {
  readonly name: ProgramName;
  /** The digest of the index, which names the image of each architecture. */
  readonly digest: string;
  /** The size of the compressed layer, by architecture. */
  readonly bytes: Readonly<Record<string, number>>;
}

/**
 * Makes images as OCI layouts, `TARGET/NAME`, each an index of its architectures. The same sources
 * give the same digests. A layout is replaced when the new one is whole.
 */
export async function makeImages(
  wanted: ImagesRequest,
  options: ImagesOptions,
): Promise<readonly MadeImage[]> {
  const { crane, target, say } = options;
  using folder = workFolder(target);
  const work = folder.path;
  await using registry = await startCraneRegistry(crane, work);
  for (const architecture of architectures) {
    const plans = plansFor(wanted, architecture);
    if (plans.length === 0) continue;
    const programs = plans.map(({ name }) => name);
    const sources = await readSources(architecture, programs, options);
    for (const plan of plans) {
      say(`${plan.name} for ${architecture.debianName}`);
      pushOne(plan, { sources, registry, options, work });
    }
  }
  return imagePlans
    .filter(({ name }) => wanted.names.includes(name))
    .map((plan) => takeIndex(plan, { wanted, registry, target }));
}

function plansFor({ names, architectures }: ImagesRequest, { name }: Architecture) {
  if (!architectures.includes(name)) return [];
  return imagePlans.filter(
    (plan) => names.includes(plan.name) && plan.architectures.includes(name),
  );
}

interface Making {
  readonly sources: ImageSources;
  readonly registry: CraneRegistry;
  readonly options: ImagesOptions;
  readonly work: string;
}

function pushOne(plan: ImagePlan, { sources, registry, options, work }: Making): void {
  const { debianName } = sources.architecture;
  const layer = writeLayer(imageEntries(plan, sources), join(work, `${plan.name}-${debianName}`));
  const reference = registry.reference(plan.name, debianName);
  registry.crane("append", "--oci-empty-base", "--new_layer", layer, "--new_tag", reference);
  rmSync(layer);
  const labels = Object.entries(imageLabels(plan, { version, ...options.facts }));
  registry.crane(
    ...["mutate", reference, "--tag", reference, "--set-platform", `linux/${debianName}`],
    ...["--user", plan.user, "--entrypoint", plan.entrypoint.join(",")],
    ...labels.flatMap(([name, text]) => ["--label", `"${name}=${text}"`]),
  );
}

interface Taking {
  readonly wanted: ImagesRequest;
  readonly registry: CraneRegistry;
  readonly target: string;
}

function takeIndex(plan: ImagePlan, { wanted, registry, target }: Taking): MadeImage {
  const { name } = plan;
  const own = architectures.filter((architecture) => plansFor(wanted, architecture).includes(plan));
  const references = own.map(({ debianName }) => registry.reference(name, debianName));
  const index = registry.reference(name, version);
  const manifests = references.flatMap((reference) => ["--manifest", reference]);
  registry.crane("index", "append", ...manifests, "--tag", index);
  const [folder, fresh] = [join(target, name), join(target, `.${name}.new`)];
  rmSync(fresh, { recursive: true, force: true });
  registry.crane("pull", "--format=oci", index, fresh);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
  const sizes = own.map(({ debianName }) => {
    const manifest = JSON.parse(registry.crane("manifest", registry.reference(name, debianName)));
    return [debianName, Number(manifest.layers[0].size)] as const;
  });
  return { name, digest: layoutDigest(folder), bytes: Object.fromEntries(sizes) };
}

/** The digest of the one index in an OCI layout. @throws Error if there is no layout */
export function layoutDigest(folder: string): string {
  const path = join(folder, "index.json");
  if (!existsSync(path)) throw new Error(`read ${path}: there is no image`);
  const { manifests } = JSON.parse(readFileSync(path, "utf8"));
  return String(manifests[0].digest);
}
