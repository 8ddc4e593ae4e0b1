import { type Digest, digestOf, isDigest, requireDigest } from "./digest.ts";
import { type FoundImage, startsTheSame } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import type { ImageReference } from "./image-reference.ts";
import type { LookupMemory } from "./lookup-memory.ts";
import { parseImageConfig } from "./parse-image-config.ts";
import {
  acceptedManifests,
  type IndexEntry,
  type Manifest,
  parseManifest,
} from "./parse-manifest.ts";
import { allows, type ImagePlatform, type PlatformConstraint, platformText } from "./platform.ts";
import type { RegistryClient } from "./registry-client.ts";
import type { LookupLimits } from "./registry-settings.ts";

/** The image to read, and the limits. */
export interface ImageRequest {
  readonly reference: Pick<ImageReference, "tag" | "digest">;
  readonly platform: PlatformConstraint;
  readonly limits: LookupLimits;
  readonly memory: Pick<LookupMemory, "images" | "shared">;
  /** `HOST/REPOSITORY`. */
  readonly place: string;
  /** As messages begin: `read image X at HOST`. */
  readonly operation: string;
}

/**
 * Reads the configuration that every platform which the pod may run on has in common. A manifest
 * that this replica or another one has read is not read again: Docker Hub counts each GET of a
 * manifest as a pull, and no HEAD.
 *
 * @throws ImageError
 */
export async function readImage(client: RegistryClient, wanted: ImageRequest): Promise<FoundImage> {
  const { tag = "latest", digest } = wanted.reference;
  const version = digest ?? tag;
  const known = await findKnown(await askDigest(client, version, wanted), wanted);
  if (known !== undefined) return known;
  const found = await readManifest(client, version, wanted);
  const image = await readFound(client, found, wanted);
  const keyOf = found.manifest.kind === "image" ? imageKey : indexKey;
  wanted.memory.shared?.add(keyOf(found.digest, wanted), image);
  return image;
}

/**
 * The digest of a version that the client may read; undefined if the server does not tell it by
 * HEAD.
 */
async function askDigest(
  client: RegistryClient,
  version: string,
  { operation: reading }: ImageRequest,
): Promise<Digest | undefined> {
  const operation = `${reading}: its digest`;
  const resource = { path: `manifests/${version}`, accept: acceptedManifests, maxBytes: 0 };
  try {
    const { headers } = await client.get({ ...resource, head: true, operation });
    const said = headers.get("docker-content-digest") ?? "";
    return [version, said].find(isDigest);
  } catch (error) {
    // A server that takes no HEAD (400, 405) may take a GET.
    if (error instanceof ImageError && error.code === "BAD_ANSWER") return undefined;
    throw error;
  }
}

async function findKnown(
  digest: Digest | undefined,
  wanted: ImageRequest,
): Promise<FoundImage | undefined> {
  if (digest === undefined) return undefined;
  const { images, shared } = wanted.memory;
  const keys = [imageKey(digest, wanted), indexKey(digest, wanted)];
  for (const key of keys) {
    const image = images.get(key);
    if (image !== undefined) return image;
  }
  const found = await shared?.find(keys);
  if (found === undefined) return undefined;
  remember(found.key, found.image, wanted);
  return found.image;
}

/**
 * Only the registry of a repository decides who may read it. Another one may claim any digest: by
 * that it must not get the command of an image.
 */
function imageKey(digest: Digest, { place }: ImageRequest): string {
  return `${place}@${digest}`;
}

function indexKey(digest: Digest, wanted: ImageRequest): string {
  const { os, architectures } = wanted.platform;
  return [imageKey(digest, wanted), os, ...architectures.toSorted()].join(" ");
}

function remember(key: string, image: FoundImage, { memory }: ImageRequest): void {
  memory.images.put(key, image, { bytes: weightOf(image), lifeMs: Number.POSITIVE_INFINITY });
}

async function readFound(
  client: RegistryClient,
  { manifest, digest }: FoundManifest,
  wanted: ImageRequest,
): Promise<FoundImage> {
  if (manifest.kind === "image") return readConfig(client, manifest.config, digest, wanted);
  const entries = candidatesIn(manifest.entries, wanted);
  const images = await Promise.all(entries.map((entry) => readEntry(client, entry, wanted)));
  const image = inCommon(images, digest, wanted);
  remember(indexKey(digest, wanted), image, wanted);
  return image;
}

interface FoundManifest {
  readonly manifest: Manifest;
  readonly digest: Digest;
}

async function readManifest(
  client: RegistryClient,
  version: string,
  { limits, operation: reading }: ImageRequest,
): Promise<FoundManifest> {
  const operation = `${reading}: its manifest`;
  const { bytes, headers } = await client.get({
    path: `manifests/${version}`,
    accept: acceptedManifests,
    maxBytes: limits.manifestBytes,
    operation,
  });
  // No tag has a colon.
  if (isDigest(version)) requireDigest(bytes, version, operation);
  const digest = isDigest(version) ? version : digestOf(bytes);
  return { manifest: parseManifest(bytes, headers.get("content-type"), operation), digest };
}

/**
 * The images of an index that the pod may be given; those without a platform tell it in their
 * configuration.
 */
function candidatesIn(entries: readonly IndexEntry[], wanted: ImageRequest): readonly IndexEntry[] {
  const { platform, limits, operation } = wanted;
  const named = entries.filter(
    (entry) => entry.platform !== undefined && allows(platform, entry.platform),
  );
  const candidates =
    named.length > 0 ? named : entries.filter((entry) => entry.platform === undefined);
  if (candidates.length === 0) throw noPlatform(entries, wanted);
  if (candidates.length <= limits.platforms) return candidates;
  const found = `${candidates.length} images are for ${platformText(platform)}, at most ${limits.platforms} are compared`;
  throw new ImageError("TOO_LARGE", `${operation}: ${found}`);
}

function noPlatform(
  entries: readonly IndexEntry[],
  { platform, operation }: ImageRequest,
): ImageError {
  const names = entries.flatMap((entry) => (entry.platform ? [platformName(entry.platform)] : []));
  const has = names.length === 0 ? "no image" : names.slice(0, 20).join(", ");
  return new ImageError(
    "NO_PLATFORM",
    `${operation}: it has ${has}, the pod needs ${platformText(platform)}`,
  );
}

/** The characters of a platform's name in a server's text. */
function platformName({ os = "", architecture = "", variant }: ImagePlatform): string {
  const parts = [os, architecture, ...(variant === undefined ? [] : [variant])];
  return parts.map((part) => part.replace(/[^A-Za-z0-9._-]/g, "").slice(0, 32)).join("/");
}

async function readEntry(
  client: RegistryClient,
  entry: IndexEntry,
  wanted: ImageRequest,
): Promise<FoundImage> {
  const known = wanted.memory.images.get(imageKey(entry.digest, wanted));
  if (known !== undefined) return known;
  const { manifest, digest } = await readManifest(client, entry.digest, wanted);
  if (manifest.kind === "image") return readConfig(client, manifest.config, digest, wanted);
  throw new ImageError("UNSUPPORTED", `${wanted.operation}: an index within an index`);
}

async function readConfig(
  client: RegistryClient,
  config: Digest,
  digest: Digest,
  wanted: ImageRequest,
): Promise<FoundImage> {
  const { limits, operation: reading } = wanted;
  const operation = `${reading}: its configuration`;
  const { bytes } = await client.get({
    path: `blobs/${config}`,
    maxBytes: limits.configBytes,
    operation,
  });
  requireDigest(bytes, config, operation);
  const image = parseImageConfig(bytes, digest, operation);
  remember(imageKey(digest, wanted), image, wanted);
  return image;
}

/** Bytes that a configuration takes, about. */
export function weightOf(image: FoundImage): number {
  return 2 * JSON.stringify(image).length + 200;
}

/** The common facts of all; the index's own digest stands for several. */
function inCommon(images: readonly FoundImage[], index: Digest, wanted: ImageRequest): FoundImage {
  const fitting = images.filter((image) => allows(wanted.platform, image));
  const [first, ...others] = fitting;
  if (first === undefined)
    throw noPlatform(
      images.map((platform) => ({ digest: index, platform })),
      wanted,
    );
  if (others.length === 0) return first;
  const other = others.find((each) => !startsTheSame(first, each));
  if (other !== undefined) {
    const found = `${platformName(first)} and ${platformName(other)} start different programs`;
    throw new ImageError("AMBIGUOUS", `${wanted.operation}: ${found}`);
  }
  const { architecture, ...rest } = first;
  const same = others.every((each) => each.architecture === architecture);
  return { ...rest, digest: index, ...(same && architecture !== undefined && { architecture }) };
}
