import type { Architecture } from "../build/bundle/architecture.ts";
import type { ProgramName } from "../build.ts";
import type { ImageEntry, ImageSources } from "../images/image-plan.ts";

/** A file, a link or a folder of a package, by its path without the first slash. */
export type PackageEntry =
  | (ImageEntry & {
      /** The administrator's: upgrades leave it as it is. */
      readonly isConfig?: true;
    })
  | { readonly kind: "folder"; readonly path: string; readonly mode: number };

/** A package of ours. */
export interface PackagePlan {
  readonly name: ProgramName;
  readonly summary: string;
  readonly architectures: readonly Architecture["name"][];
  /** Names of packages that it needs, as each family of distributions calls them. */
  readonly depends: { readonly deb: readonly string[]; readonly rpm: readonly string[] };
  /** Below deploy/packages: the scripts after an installation, and before a removal. */
  readonly scripts: { readonly installed?: string; readonly removed?: string };
}

const both = ["x64", "arm64"] as const;

/** The packages that there are. The operator has an image and no package. */
export const packagePlans: readonly PackagePlan[] = [
  {
    name: "svc-wrapper",
    summary: "Starts programs with secrets from a Vault or OpenBao store",
    architectures: both,
    // It needs no library.
    depends: { deb: [], rpm: [] },
    scripts: { installed: "wrapper-installed.sh" },
  },
  {
    name: "svc-agent",
    summary: "Kernel agent that sees and stops theft of secrets",
    architectures: both,
    depends: { deb: ["libc6", "libbpf1"], rpm: ["glibc", "libbpf >= 1.0"] },
    scripts: { installed: "agent-installed.sh", removed: "agent-removed.sh" },
  },
  {
    name: "svc",
    summary: "Command line of svc: store bootstrap, injection without a cluster",
    architectures: both,
    depends: { deb: ["libc6"], rpm: ["glibc"] },
    scripts: {},
  },
];

/** Where files of the repository are. */
export interface DeployFiles {
  readonly systemd: string;
  readonly packages: string;
}

/** All that a package puts onto a machine. */
export function packageEntries(
  { name }: PackagePlan,
  sources: ImageSources,
  deploy: DeployFiles,
): readonly PackageEntry[] {
  const documents = documentsOf(name, sources);
  const settings = { kind: "folder", path: "etc/svc", mode: 0o700 } as const;
  const unit = (file: string) =>
    copy(`usr/lib/systemd/system/${file}`, 0o644, `${deploy.systemd}/${file}`);
  switch (name) {
    case "svc-wrapper":
      return [
        ...sources.bundle.map(({ path, mode }) => {
          return copy(`opt/svc/${path}`, mode, `${sources.bundleFolder}/${path}`);
        }),
        { kind: "link", path: "usr/bin/svc-wrapper", to: "/opt/svc/bin/svc-wrapper" },
        unit("svc-wrapper@.service"),
        settings,
        copy("etc/svc/app.env.example", 0o644, `${deploy.packages}/app.env.example`),
        ...documents,
      ];
    case "svc-agent":
      return [
        copy("opt/svc/bin/svc-agent", 0o755, `${sources.programs}/svc-agent`),
        copy("opt/svc/secret_monitor.o", 0o644, sources.bpfObject),
        unit("svc-agent.service"),
        settings,
        { ...copy("etc/svc/agent.env", 0o644, `${deploy.packages}/agent.env`), isConfig: true },
        ...documents,
      ];
    default:
      return [copy(`usr/bin/${name}`, 0o755, `${sources.programs}/${name}`), ...documents];
  }
}

/** The wrapper's list lies in its bundle. */
function documentsOf(name: string, { licences }: ImageSources): readonly PackageEntry[] {
  const { LICENSE: licence = "", "THIRD-PARTY.md": list = "" } = licences;
  const folder = `usr/share/doc/${name}`;
  const copyright = copy(`${folder}/copyright`, 0o644, licence);
  return name === "svc-wrapper"
    ? [copyright]
    : [copyright, copy(`${folder}/THIRD-PARTY.md`, 0o644, list)];
}

function copy(path: string, mode: 0o644 | 0o755, from: string) {
  return { kind: "file", path, mode, from } as const;
}
