import type { PackageEntry, PackagePlan } from "./package-plan.ts";

/** The target of a package. */
export interface PackageTarget {
  readonly format: "deb" | "rpm";
  /** Debian's name, which nfpm translates for RPM. */
  readonly architecture: string;
  readonly version: string;
  /** Seconds since 1970, of every file. */
  readonly timeSeconds: number;
  /** Below which the entries lie as files. */
  readonly tree: string;
  /** The folder of the scripts. */
  readonly scripts: string;
  readonly homepage: string | undefined;
}

/** nfpm's configuration; JSON is YAML. */
export function nfpmConfiguration(
  { name, summary, depends, scripts }: PackagePlan,
  entries: readonly PackageEntry[],
  target: PackageTarget,
): object {
  const { format, architecture, version, timeSeconds, homepage } = target;
  const mtime = new Date(timeSeconds * 1000).toISOString();
  const script = (file: string | undefined) => file && `${target.scripts}/${file}`;
  return {
    name,
    version,
    arch: architecture,
    platform: "linux",
    section: "admin",
    priority: "optional",
    maintainer: "The svc authors <svc@localhost>",
    vendor: "svc",
    license: "Apache-2.0",
    description: summary,
    ...(homepage !== undefined && { homepage }),
    depends: depends[format],
    mtime,
    contents: entries.map((entry) => contentOf(entry, target.tree, mtime)),
    scripts: {
      ...(scripts.installed && { postinstall: script(scripts.installed) }),
      ...(scripts.removed && { preremove: script(scripts.removed) }),
    },
    rpm: { buildhost: "localhost", compression: "gzip" },
  };
}

function contentOf(entry: PackageEntry, tree: string, mtime: string): object {
  const dst = `/${entry.path}`;
  const owner = { owner: "root", group: "root", mtime };
  switch (entry.kind) {
    case "folder":
      return { dst, type: "dir", file_info: { ...owner, mode: entry.mode } };
    case "link":
      return { src: entry.to, dst, type: "symlink" };
    case "file":
      return {
        src: `${tree}/${entry.path}`,
        dst,
        ...(entry.isConfig && { type: "config|noreplace" }),
        file_info: { ...owner, mode: entry.mode },
      };
  }
}
