import type { Architecture } from "../../build/bundle/architecture.ts";
import type { PinnedPackage } from "./pinned-packages.ts";

/**
 * Debian's packages whose libraries are linked into the wrapper, by the end of their file's name.
 */
const linked: Readonly<Record<Architecture["name"], readonly RegExp[]>> = {
  x64: [
    /^(libc6-dev)_(.+)_amd64/,
    /^(libgcc-\d+-dev)_(.+)_amd64/,
    /^(libstd-rust-web-dev)_(.+)_amd64/,
  ],
  arm64: [
    /^(libc6-dev-arm64-cross)_(.+)_all/,
    /^(libgcc-\d+-dev-arm64-cross)_(.+)_all/,
    /^(libstd-rust-web-dev)_(.+)_arm64/,
  ],
};

/** The versions of Debian's packages whose libraries are linked into the wrapper, by their name. */
export function linkedPackages(
  packages: readonly PinnedPackage[],
  architecture: Architecture["name"],
): Readonly<Record<string, string>> {
  const files = packages.map(({ path }) => decodeURIComponent(path.replace(/^.*\//, "")));
  return Object.fromEntries(
    linked[architecture].map((pattern) => {
      const [, name, version] =
        files.map((file) => pattern.exec(file)).find((match) => match !== null) ?? [];
      if (name === undefined || version === undefined) {
        throw new Error(`find a library among the pinned packages: none is ${pattern}`);
      }
      return [name, version];
    }),
  );
}
