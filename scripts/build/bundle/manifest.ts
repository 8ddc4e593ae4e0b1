import { createHash } from "node:crypto";
import type { BundleFile } from "./bundle-file.ts";

/** The facts about the bundle in its manifest.json. */
export interface Manifest {
  readonly version: string;
  readonly architecture: string;
  /** Versions of the parts of others, by name. */
  readonly parts: Readonly<Record<string, string>>;
  readonly totalBytes: number;
  readonly files: readonly {
    readonly path: string;
    readonly mode: string;
    readonly bytes: number;
    readonly sha256: string;
  }[];
}

/** Describes the files; `totalBytes` is without the manifest itself. */
export function describeFiles(
  files: readonly BundleFile[],
  about: Pick<Manifest, "version" | "architecture" | "parts">,
): Manifest {
  return {
    ...about,
    totalBytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    files: files.map(({ path, mode, bytes }) => ({
      path,
      mode: mode.toString(8),
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    })),
  };
}
