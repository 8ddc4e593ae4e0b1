import { type Digest, digestOf } from "../digest.ts";

/** Something that a registry keeps by its digest. */
export interface Stored {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly digest: Digest;
}

/** An image without layers. */
export interface SmallImage {
  readonly config: Stored;
  readonly manifest: Stored;
}

/** The differences from one that runs `/bin/app serve` on linux/amd64. */
export interface SmallImageRequest {
  readonly entrypoint?: readonly string[] | null;
  readonly command?: readonly string[] | null;
  readonly architecture?: string;
  readonly variant?: string;
  readonly os?: string;
  readonly docker?: boolean;
}

/** Makes bytes that a registry would keep. */
export function stored(mediaType: string, value: unknown): Stored {
  const bytes = Buffer.from(JSON.stringify(value));
  return { mediaType, bytes, digest: digestOf(bytes) };
}

/** An image with a configuration and nothing else. */
export function smallImage(wanted: SmallImageRequest = {}): SmallImage {
  const {
    entrypoint = ["/bin/app"],
    command = ["serve"],
    architecture = "amd64",
    os = "linux",
    docker,
  } = wanted;
  const [configType, manifestType] =
    docker === true
      ? [
          "application/vnd.docker.container.image.v1+json",
          "application/vnd.docker.distribution.manifest.v2+json",
        ]
      : ["application/vnd.oci.image.config.v1+json", "application/vnd.oci.image.manifest.v1+json"];
  const config = stored(configType, {
    architecture,
    ...(wanted.variant !== undefined && { variant: wanted.variant }),
    os,
    config: {
      Entrypoint: entrypoint,
      Cmd: command,
      User: "65532",
      WorkingDir: "/srv",
      Env: ["PATH=/bin"],
    },
    rootfs: { type: "layers", diff_ids: [] },
  });
  const manifest = stored(manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptor(config),
    layers: [],
  });
  return { config, manifest };
}

/** An index of images, each for the platform that its request names, and an attestation beside them. */
export function smallIndex(
  images: readonly (readonly [SmallImage, object | undefined])[],
  docker = false,
): Stored {
  const mediaType = docker
    ? "application/vnd.docker.distribution.manifest.list.v2+json"
    : "application/vnd.oci.image.index.v1+json";
  const manifests = images.map(([{ manifest }, platform]) => ({
    ...descriptor(manifest),
    ...(platform && { platform }),
  }));
  return stored(mediaType, { schemaVersion: 2, mediaType, manifests });
}

function descriptor({ mediaType, bytes, digest }: Stored) {
  return { mediaType, size: bytes.length, digest };
}
