/** The differences between the bundles of two architectures. */
export interface Architecture {
  /** process.arch of the machine that runs the bundle. */
  readonly name: "x64" | "arm64";
  /** Debian's name in packages, and in the paths of libraries. */
  readonly debianName: string;
  readonly triplet: string;
  /** Rust's name of the machine. */
  readonly rustTarget: string;
  /** The loader's name in Debian's folder of libraries. */
  readonly loader: string;
  /** The npm package of the runtime, and the sha256 of the executable in it. */
  readonly runtimePackage: string;
  readonly runtimeSha256: string;
}

/** That of this machine. @throws Error if there are no programs for it. */
export function ownArchitecture(): Architecture {
  const own = architectures.find(({ name }) => name === process.arch);
  if (own === undefined) throw new Error(`there are no programs for ${process.arch}`);
  return own;
}

/** The architectures for which there can be a bundle. */
export const architectures: readonly Architecture[] = [
  {
    name: "x64",
    debianName: "amd64",
    triplet: "x86_64-linux-gnu",
    rustTarget: "x86_64-unknown-linux-gnu",
    loader: "ld-linux-x86-64.so.2",
    runtimePackage: "@oven/bun-linux-x64",
    runtimeSha256: "f05d28a3862f4b84395c7fa32480b835dd47482e80b7e7a49a115227f0c06083",
  },
  {
    name: "arm64",
    debianName: "arm64",
    triplet: "aarch64-linux-gnu",
    rustTarget: "aarch64-unknown-linux-gnu",
    loader: "ld-linux-aarch64.so.1",
    runtimePackage: "@oven/bun-linux-aarch64",
    runtimeSha256: "04778f1f42399a69d086853e9c7af4acf574b2f21a43d0dc673853d8b84a2923",
  },
];
