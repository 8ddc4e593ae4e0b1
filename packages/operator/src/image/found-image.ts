import type { Digest } from "./digest.ts";
import type { ImageConfig } from "./image-config.ts";

/**
 * An image's configuration, as a registry gave it. The image's ENV is left out: it may hold
 * secrets.
 */
export interface FoundImage extends ImageConfig {
  /** The digest of the manifest that the configuration belongs to. */
  readonly digest: Digest;
  /** USER; absent if the image has none. */
  readonly user?: string;
  /** WORKDIR; absent if the image has none. */
  readonly workingDir?: string;
}

/** Whether a container starts the same with either. */
export function startsTheSame(a: ImageConfig, b: ImageConfig): boolean {
  return sameWords(a.entrypoint, b.entrypoint) && sameWords(a.command, b.command);
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}
