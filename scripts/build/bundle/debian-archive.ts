import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "./run-tool.ts";

/** The packages of this machine's Debian release for an architecture. */
export interface DebianArchive {
  /** The names of the packages that a package depends on. */
  readonly dependenciesOf: (name: string) => readonly string[];
  /** Packages as they are now, without what they depend on; downloaded once for each version. */
  readonly unpack: (label: string, names: readonly string[]) => UnpackedPackages;
}

/** Packages whose files lie in a folder, as they would in `/`. Nothing of them has been run. */
export interface UnpackedPackages {
  readonly root: string;
  /** Version by package. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Asks the archive for its present lists. apt has folders of its own for that: what this machine has
 * installed is neither asked nor changed.
 */
export function openDebianArchive(debianName: string, cacheFolder: string): DebianArchive {
  const state = join(cacheFolder, `apt-${debianName}`);
  mkdirSync(join(state, "lists/partial"), { recursive: true });
  mkdirSync(join(state, "archives/partial"), { recursive: true });
  const options = {
    "Dir::State": state,
    "Dir::Cache": state,
    "Dir::State::status": "/dev/null",
    "APT::Architecture": debianName,
    "APT::Architectures": debianName,
    "APT::Sandbox::User": "root",
  };
  const words = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const apt = (command: string, more: readonly string[], folder?: string) =>
    runTool([command, "-qq", ...words, ...more], folder);
  apt("apt-get", ["update"]);
  return {
    dependenciesOf: (name) => {
      const text = apt("apt-cache", ["depends", "--important", name]);
      return [...text.matchAll(/^ +(?:Pre)?Depends: ([\w.+-]+)$/gm)].map(([, found = ""]) => found);
    },
    unpack: (label, names) => {
      const versions = versionsIn(apt("apt-get", ["download", "--print-uris", ...names]));
      const parts = [label, debianName, ...names.map((name) => versions[name])];
      const root = join(cacheFolder, parts.join("-"));
      if (existsSync(root)) return { root, versions };
      const fresh = mkdtempSync(`${root}.`);
      try {
        apt("apt-get", ["download", ...names], fresh);
        for (const file of new Bun.Glob("*.deb").scanSync(fresh)) {
          runTool(["dpkg-deb", "--extract", join(fresh, file), join(fresh, "root")]);
        }
        // Another run may have been faster: then its folder is as good as ours.
        if (!existsSync(root)) renameSync(join(fresh, "root"), root);
      } finally {
        rmSync(fresh, { recursive: true });
      }
      return { root, versions };
    },
  };
}

/** Of lines such as `'ADDRESS' busybox-static_1%3a1.35.0-4_arm64.deb 822236 SHA256:…`. */
function versionsIn(text: string): Readonly<Record<string, string>> {
  const files = text
    .split("\n")
    .sort()
    .map((line) => / ([^_\s]+)_([^_\s]+)_\S+ /.exec(line));
  return Object.fromEntries(
    files.flatMap((match) =>
      match === null ? [] : [[match[1], decodeURIComponent(match[2] ?? "")]],
    ),
  );
}
