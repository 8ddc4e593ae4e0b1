import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "./run-tool.ts";

const LONGEST = 100;

/** Another checkout may ask the archive for as long as this. */
const LOCK_SECONDS = 600;

/** The packages of this machine's Debian release for an architecture. */
export interface DebianArchive {
  /** The names of the packages that a package depends on. */
  readonly dependenciesOf: (name: string) => readonly string[];
  /** These packages and all that they need, as a machine without any would install them. */
  readonly closureOf: (names: readonly string[]) => readonly string[];
  /** Present versions of packages, without their dependencies; downloaded once for each version. */
  readonly unpack: (label: string, names: readonly string[]) => UnpackedPackages;
}

/** Packages whose files lie in a folder, as they would in `/`. Nothing of them has been run. */
export interface UnpackedPackages {
  readonly root: string;
  /** Version by package. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Asks the archive for its present lists. apt has separate folders for that: it neither reads nor
 * changes this machine's packages.
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
  // An update does not wait for that of another checkout.
  const inTurn = ["flock", `--timeout=${LOCK_SECONDS}`, join(state, "update.lock")];
  runTool([...inTurn, "apt-get", "-qq", ...words, "update"]);
  return {
    dependenciesOf: (name) => {
      const text = apt("apt-cache", ["depends", "--important", name]);
      return [...text.matchAll(/^ +(?:Pre)?Depends: ([\w.+-]+)$/gm)].map(([, found = ""]) => found);
    },
    closureOf: (names) => {
      const words = ["--simulate", "--no-install-recommends", "install", ...names];
      return [...apt("apt-get", words).matchAll(/^Inst (\S+) /gm)].map(([, name = ""]) => name);
    },
    unpack: (label, names) => {
      const versions = versionsIn(apt("apt-get", ["download", "--print-uris", ...names]));
      const parts = [label, debianName, versionsOf(names, versions)];
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

/** For the name of a folder, which has no room for many. */
function versionsOf(names: readonly string[], versions: Readonly<Record<string, string>>): string {
  const text = names.map((name) => versions[name]).join("-");
  if (text.length <= LONGEST) return text;
  const named = names.map((name) => `${name}=${versions[name]}`).join(" ");
  return createHash("sha256").update(named).digest("hex").slice(0, 16);
}

/**
 * The versions in lines such as `'ADDRESS' busybox-static_1%3a1.35.0-4_arm64.deb 822236 SHA256:…`.
 */
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
