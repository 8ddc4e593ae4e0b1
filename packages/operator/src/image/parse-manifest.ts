import { type Digest, isDigest } from "./digest.ts";
import { ImageError } from "./image-error.ts";
import { type Fields, isFields, parseFields, textIn } from "./json-fields.ts";
import type { ImagePlatform } from "./platform.ts";

/** The content of a registry under a tag or digest. */
export type Manifest =
  | { readonly kind: "image"; readonly config: Digest }
  | { readonly kind: "index"; readonly entries: readonly IndexEntry[] };

/** An image of an index, for one platform. */
export interface IndexEntry {
  readonly digest: Digest;
  /** Undefined if the index does not say: the image's configuration does. */
  readonly platform: ImagePlatform | undefined;
}

type Kind = Manifest["kind"] | "schema 1";

const kinds: Readonly<Record<string, Kind>> = {
  "application/vnd.oci.image.index.v1+json": "index",
  "application/vnd.docker.distribution.manifest.list.v2+json": "index",
  "application/vnd.oci.image.manifest.v1+json": "image",
  "application/vnd.docker.distribution.manifest.v2+json": "image",
  "application/vnd.docker.distribution.manifest.v1+json": "schema 1",
  "application/vnd.docker.distribution.manifest.v1+prettyjws": "schema 1",
};

/** The Accept header for manifests. */
export const acceptedManifests: string = Object.keys(kinds)
  .filter((type) => kinds[type] !== "schema 1")
  .join(", ");

const configTypes: readonly string[] = [
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
  // Old tools wrote this.
  "application/octet-stream",
];

/** Entries of an index beyond these are not looked at. */
const MOST_ENTRIES = 1000;

/**
 * Reads a manifest or an index, Docker's or OCI's.
 *
 * @throws ImageError `UNSUPPORTED` for every other type, `BAD_ANSWER` if it contradicts itself
 */
export function parseManifest(
  bytes: Uint8Array,
  contentType: string | null,
  operation: string,
): Manifest {
  const body = parseFields(bytes, operation);
  switch (kindOf(body, contentType, operation)) {
    case "index":
      return { kind: "index", entries: entriesOf(body, operation) };
    case "image":
      return { kind: "image", config: configOf(body, operation) };
    case "schema 1":
      throw new ImageError("UNSUPPORTED", `${operation}: it is a schema 1 manifest`);
  }
}

/**
 * A body that could be read both ways is refused: another checker may have read it the other way
 * (CVE-2021-41190).
 */
function kindOf(body: Fields, contentType: string | null, operation: string): Kind {
  const declared = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const named = [kinds[declared], kinds[textIn(body, "mediaType") ?? ""]].filter(
    (kind) => kind !== undefined,
  );
  const shown = shapeOf(body);
  const all = new Set([...named, ...(shown === undefined ? [] : [shown])]);
  const [kind] = all;
  if (all.size > 1 || ("manifests" in body && "layers" in body)) {
    throw new ImageError(
      "BAD_ANSWER",
      `${operation}: it says to be several kinds of manifest at once`,
    );
  }
  if (kind !== undefined) return kind;
  throw new ImageError("UNSUPPORTED", `${operation}: it is neither a manifest nor an index`);
}

function shapeOf(body: Fields): Kind | undefined {
  if (body["schemaVersion"] === 1) return "schema 1";
  if (body["schemaVersion"] !== 2) return undefined;
  if (Array.isArray(body["manifests"])) return "index";
  return isFields(body["config"]) ? "image" : undefined;
}

function configOf(body: Fields, operation: string): Digest {
  const config = isFields(body["config"]) ? body["config"] : {};
  const type = textIn(config, "mediaType") ?? "";
  if (!configTypes.includes(type)) {
    throw new ImageError(
      "UNSUPPORTED",
      `${operation}: it is not an image that a container can start`,
    );
  }
  if (isDigest(config["digest"])) return config["digest"];
  throw new ImageError("BAD_ANSWER", `${operation}: it does not name its configuration`);
}

function entriesOf(body: Fields, operation: string): readonly IndexEntry[] {
  const listed = Array.isArray(body["manifests"]) ? body["manifests"] : [];
  if (listed.length > MOST_ENTRIES) {
    throw new ImageError("TOO_LARGE", `${operation}: an index of ${listed.length} images`);
  }
  return listed.flatMap((entry: unknown) => {
    if (!isFields(entry) || !isDigest(entry["digest"]) || isBeside(entry)) return [];
    return [{ digest: entry["digest"], platform: platformIn(entry["platform"]) }];
  });
}

/** Attestations, signatures and other entries of an index beside images. */
function isBeside(entry: Fields): boolean {
  if (kinds[textIn(entry, "mediaType") ?? ""] !== "image") return true;
  if (isFields(entry["annotations"]) && "vnd.docker.reference.type" in entry["annotations"])
    return true;
  const platform = platformIn(entry["platform"]);
  return platform?.os === "unknown" || platform?.architecture === "unknown";
}

function platformIn(value: unknown): ImagePlatform | undefined {
  if (!isFields(value)) return undefined;
  const { os, architecture, variant } = {
    os: textIn(value, "os"),
    architecture: textIn(value, "architecture"),
    variant: textIn(value, "variant"),
  };
  return os === undefined && architecture === undefined ? undefined : { os, architecture, variant };
}
