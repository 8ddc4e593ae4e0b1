import { basename, dirname } from "node:path";
import type { Architecture } from "../build/bundle/architecture.ts";
import type { ProgramName } from "../build.ts";
import type { Crate } from "../engine/engine-crates.ts";

/** Something in an image, by its path without the first slash. */
export type ImageEntry =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly mode: 0o644 | 0o755;
      /** The file that it is a copy of, or its content. */
      readonly from: string | Uint8Array;
    }
  | { readonly kind: "link"; readonly path: string; readonly to: string };

/** An image of ours, before anything is known of files. */
export interface ImagePlan {
  readonly name: ProgramName;
  readonly description: string;
  readonly architectures: readonly Architecture["name"][];
  readonly entrypoint: readonly string[];
  /** USER:GROUP by number: the kubelet cannot prove of a name that it is not root. */
  readonly user: string;
}

/** The sources of the parts of images. */
export interface ImageSources {
  readonly architecture: Architecture;
  /** `opt/svc` of the bundle. */
  readonly bundle: readonly { readonly path: string; readonly mode: 0o644 | 0o755 }[];
  readonly bundleFolder: string;
  /** The folder of the compiled programs. */
  readonly programs: string;
  readonly loader: Uint8Array;
  readonly libraries: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly bpfObject: string;
  readonly bpfLibraries: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** The versions of Debian's packages, by name. */
  readonly versions: {
    readonly glibc: Readonly<Record<string, string>>;
    readonly bpf: Readonly<Record<string, string>>;
  };
  /** The crates in the wrapper. */
  readonly crates: readonly Crate[];
  /**
   * The paths of the licences' texts of the parts beside the wrapper, by their name in an image.
   */
  readonly licences: Readonly<Record<string, string>>;
  /** The copyright files of the packages that `bpfLibraries` come from. */
  readonly bpfLicences: readonly string[];
}

const both = ["x64", "arm64"] as const;
const NOT_ROOT = "65532:65532";

/** The images that there are. */
export const imagePlans: readonly ImagePlan[] = [
  {
    name: "svc-wrapper",
    description: "The wrapper's bundle for init containers and image volumes",
    architectures: both,
    entrypoint: ["/opt/svc/bin/svc-wrapper"],
    user: NOT_ROOT,
  },
  {
    name: "svc-operator",
    description: "The admission webhook that gives pods their wrapper",
    architectures: both,
    entrypoint: ["/opt/svc/bin/svc-operator"],
    user: NOT_ROOT,
  },
  {
    name: "svc-agent",
    description: "The kernel agent that sees and stops theft of secrets",
    architectures: both,
    entrypoint: ["/opt/svc/bin/svc-agent"],
    // It loads BPF programs.
    user: "0:0",
  },
  {
    name: "svc",
    description: "The command line: store bootstrap, injection without a cluster, explanations",
    architectures: both,
    entrypoint: ["/opt/svc/bin/svc"],
    user: NOT_ROOT,
  },
];

/** All that is in an image, and nothing else. */
export function imageEntries(plan: ImagePlan, sources: ImageSources): readonly ImageEntry[] {
  if (plan.name === "svc-wrapper") return bundleEntries(sources);
  return [
    file(`opt/svc/bin/${plan.name}`, 0o755, `${sources.programs}/${plan.name}`),
    ...libraryEntries(sources),
    ...(plan.name === "svc-agent" ? agentEntries(sources) : []),
    ...licenceEntries(sources),
  ];
}

/**
 * The image's root is the bundle's folder, as an image volume needs it. The link makes the same
 * files stand at /opt/svc when the image itself is run.
 */
function bundleEntries({ bundle, bundleFolder }: ImageSources): readonly ImageEntry[] {
  return [
    ...bundle.map(({ path, mode }) => file(path, mode, `${bundleFolder}/${path}`)),
    { kind: "link", path: "opt/svc", to: ".." },
  ];
}

/**
 * glibc, in the place in which its loader looks for it; programs look up names in files and by DNS.
 */
function libraryEntries({ architecture, loader, libraries }: ImageSources): readonly ImageEntry[] {
  const folder = `lib/${architecture.triplet}`;
  const loaderFolder = architecture.name === "x64" ? "lib64" : "lib";
  return [
    file(`${loaderFolder}/${architecture.loader}`, 0o755, loader),
    ...libraries.map(({ name, bytes }) => file(`${folder}/${name}`, 0o644, bytes)),
    file("etc/nsswitch.conf", 0o644, new TextEncoder().encode("hosts: files dns\n")),
  ];
}

function licenceEntries({ licences }: ImageSources): readonly ImageEntry[] {
  const texts = Object.entries(licences);
  return texts.map(([name, path]) => file(`licenses/${name}`, 0o644, path));
}

function agentEntries(sources: ImageSources): readonly ImageEntry[] {
  const folder = `lib/${sources.architecture.triplet}`;
  return [
    file("opt/svc/secret_monitor.o", 0o644, sources.bpfObject),
    ...sources.bpfLibraries.map(({ name, bytes }) => file(`${folder}/${name}`, 0o644, bytes)),
    ...sources.bpfLicences.map((path) => {
      return file(`licenses/${basename(dirname(path))}.txt`, 0o644, path);
    }),
  ];
}

function file(path: string, mode: 0o644 | 0o755, from: string | Uint8Array): ImageEntry {
  return { kind: "file", path, mode, from };
}
