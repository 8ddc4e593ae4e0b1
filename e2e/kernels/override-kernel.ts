import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { installPackages } from "@svc/testing";
import { openDebianArchive } from "../../scripts/build/bundle/debian-archive.ts";
import { runTool } from "../../scripts/build/bundle/run-tool.ts";
import type { GuestImage } from "./guest-image.ts";
import { guestMachine } from "./guest-machine.ts";
import { compileKernel } from "./override/compile-kernel.ts";

const sources = "linux-source-6.12";
const files = ["override.config", "build-kernel.sh"].map((name) =>
  join(import.meta.dirname, "override", name),
);

/** Commands that compile a kernel, and their Debian packages. */
const packages: Readonly<Record<string, string>> = {
  gcc: "gcc",
  make: "make",
  flex: "flex",
  bison: "bison",
  bc: "bc",
  pahole: "dwarves",
  lz4: "lz4",
  xz: "xz-utils",
  "/usr/include/libelf.h": "libelf-dev",
  "/usr/include/openssl/opensslv.h": "libssl-dev",
};

/**
 * A kernel in which a kprobe can make a system call fail and nothing else can; Debian's have no
 * such thing. It is compiled from Debian's sources, which takes ten minutes, once for each version
 * of them. `say` gets lines about that.
 */
export async function overrideKernel(
  cache: string,
  say: (line: string) => void,
): Promise<GuestImage> {
  const { root, versions } = openDebianArchive("amd64", cache).unpack("linux-source", [sources]);
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const version = versions[sources] ?? "unknown";
  const target = join(cache, `kernel-override-${version}-${hash.digest("hex").slice(0, 16)}`);
  if (!existsSync(target)) {
    installMissing();
    say(`compile Linux ${version} for kprobes that refuse: this takes about ten minutes`);
    await build(join(root, "usr/src", `${sources}.tar.xz`), target, say);
  }
  const release = readFileSync(join(target, "release"), "utf8").trim();
  const machine = guestMachine("x64");
  return { machine, release, image: join(target, "bzImage"), modules: [] };
}

function installMissing(): void {
  const isThere = (name: string): boolean =>
    name.startsWith("/") ? existsSync(name) : Bun.which(name) !== null;
  const missing = Object.keys(packages).filter((name) => !isThere(name));
  installPackages(missing.flatMap((name) => packages[name] ?? []));
}

/** In a folder beside the target, which is renamed when all is there and goes away when not. */
async function build(tarball: string, target: string, say: (line: string) => void): Promise<void> {
  const work = mkdtempSync(`${target}.`);
  try {
    runTool(["tar", "--extract", "--file", tarball, "--directory", work]);
    const [fragment = "", script = ""] = files;
    const built = join(work, "build");
    await compileKernel(["sh", script, join(work, sources), fragment, built], say);
    const result = join(work, "result");
    mkdirSync(result);
    copyFileSync(join(built, "arch/x86/boot/bzImage"), join(result, "bzImage"));
    writeFileSync(
      join(result, "release"),
      readFileSync(join(built, "include/config/kernel.release")),
    );
    // Another run may have been faster: then its folder is as good as ours.
    if (!existsSync(target)) renameSync(result, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
