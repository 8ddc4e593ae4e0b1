/** One file of the bundle. */
export interface BundleFile {
  /** Below the bundle's folder, as `lib/ld.so`. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The content of manifest.json. */
export interface BundleManifest {
  readonly version: string;
  readonly files: readonly BundleFile[];
}

/** The file that names the others. It is not in its own list. */
export const MANIFEST_NAME = "manifest.json";

const MOST_FILES = 1000;

/** Reads manifest.json; undefined if it is not the manifest of a bundle. */
export function parseManifest(text: string): BundleManifest | undefined {
  const { version, files } = Object(jsonOf(text));
  if (typeof version !== "string" || !Array.isArray(files)) return undefined;
  if (files.length === 0 || files.length > MOST_FILES) return undefined;
  const parsed = files.map(parseFile);
  const known = parsed.filter((file) => file !== undefined);
  return known.length === parsed.length ? { version, files: known } : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseFile(value: unknown): BundleFile | undefined {
  const { path, mode, bytes, sha256 } = Object(value);
  if (typeof path !== "string" || !isBelow(path)) return undefined;
  if (typeof mode !== "string" || !/^[0-7]{3}$/.test(mode)) return undefined;
  if (!Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  return { path, mode: Number.parseInt(mode, 8), bytes, sha256 };
}

/** Names without `.`, `..` or an empty one between slashes: the path stays below its folder. */
function isBelow(path: string): boolean {
  return /^[\w.+-]+(\/[\w.+-]+)*$/.test(path) && !/(^|\/)\.\.?(\/|$)/.test(path);
}
