import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of Debian's archive. */
export interface PinnedPackage {
  /** Below the archive's address. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** All that the toolchain consists of, in `debian-packages.json`. */
export interface PinnedPackages {
  /** The suite that the packages were taken from. */
  readonly suite: string;
  /** Compilers, linkers and libraries for this machine and for arm64. */
  readonly packages: readonly PinnedPackage[];
}

/** The path of the list. scripts/engine/update-toolchain.ts writes it. */
export const packagesPath = join(import.meta.dir, "debian-packages.json");

/** Reads the list. @throws Error if it is not a list of packages. */
export function readPinnedPackages(): PinnedPackages {
  return JSON.parse(readFileSync(packagesPath, "utf8"));
}

/**
 * The packages that `apt-get --print-uris` names, in lines such as
 * `'ADDRESS/pool/main/g/gcc/gcc_12.deb' gcc_12.deb 822236 SHA256:…`, by their path.
 *
 * @throws Error for a line of another form.
 */
export function packagesIn(uris: string): readonly PinnedPackage[] {
  const lines = uris.trim().split("\n");
  const packages = lines.map((line) => {
    const [, path, bytes, sha256] =
      /^'[^']*\/(pool\/[^']+)' \S+ (\d+) SHA256:([0-9a-f]{64})$/.exec(line) ?? [];
    if (path === undefined || sha256 === undefined) throw new Error(`read a package: got ${line}`);
    return { path, bytes: Number(bytes), sha256 };
  });
  return packages.sort((a, b) => (a.path < b.path ? -1 : 1));
}
