import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { runTool } from "../../build/bundle/run-tool.ts";
import { archiveAddress } from "./archive-address.ts";
import { type PinnedPackage, packagesPath, readPinnedPackages } from "./pinned-packages.ts";

const AT_ONCE = 4;

/**
 * A root folder with the pinned compilers, in the cache; fetched once. Nothing of the packages is
 * run. Two calls at once do the same work, and the folder of the first one stays.
 *
 * @param say gets a line for each tenth that is there.
 * @throws Error if a package is not in the archive or is another one than the list says.
 */
export async function fetchToolchain(
  cacheFolder: string,
  say: (line: string) => void,
): Promise<string> {
  const list = readFileSync(packagesPath);
  const hash = createHash("sha256").update(list).digest("hex").slice(0, 16);
  const root = join(cacheFolder, `engine-toolchain-${hash}`);
  if (existsSync(root)) return root;
  mkdirSync(cacheFolder, { recursive: true });
  const work = mkdtempSync(`${root}.`);
  try {
    const fresh = join(work, "root");
    for (const name of ["bin", "lib", "lib64", "sbin"]) {
      mkdirSync(join(fresh, "usr", name), { recursive: true });
      symlinkSync(`usr/${name}`, join(fresh, name));
    }
    await unpackAll(fresh, work, say);
    finish(fresh);
    // Another run may have been faster: then its folder is as good as ours.
    if (!existsSync(root)) renameSync(fresh, root);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return root;
}

async function unpackAll(root: string, work: string, say: (line: string) => void): Promise<void> {
  const { packages, suite } = readPinnedPackages();
  const address = archiveAddress();
  const total = packages.reduce((sum, { bytes }) => sum + bytes, 0);
  say(`fetching the compilers of Debian ${suite}, once: ${Math.round(total / 1e6)} MB`);
  const waiting = [...packages].sort((a, b) => b.bytes - a.bytes);
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const file = join(work, next.sha256);
      writeFileSync(file, await download(address, next));
      runTool(["dpkg-deb", "--extract", file, root]);
      rmSync(file);
      const before = Math.floor((done / total) * 10);
      done += next.bytes;
      const now = Math.floor((done / total) * 10);
      if (now > before) say(`fetching the compilers: ${now}0 %`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function download(address: string, { path, sha256 }: PinnedPackage): Promise<Uint8Array> {
  const url = `${address}${path}`;
  const answer = await fetch(url).catch((cause) => {
    throw new Error(`fetch ${url}: no connection\nhint: the build needs Debian's archive`, {
      cause,
    });
  });
  if (answer.status === 404) {
    const hint = "Debian has replaced it: run bun scripts/engine/update-toolchain.ts";
    throw new Error(`fetch ${url}: it is not in the archive\nhint: ${hint}`);
  }
  if (!answer.ok) throw new Error(`fetch ${url}: status ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== sha256) throw new Error(`fetch ${url}: sha256 must be ${sha256}: got ${found}`);
  return bytes;
}

/** The effects of the packages' own scripts, as far as the compilers need them. */
function finish(root: string): void {
  symlinkSync("gcc", join(root, "usr/bin/cc"));
  // Places for the mounts that are made when it is entered.
  for (const name of ["cargo", "dev", "etc/ssl", "pack", "proc", "src", "target", "tmp"]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  for (const name of ["hosts", "resolv.conf"]) writeFileSync(join(root, "etc", name), "");
}
