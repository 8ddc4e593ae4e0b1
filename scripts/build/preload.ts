import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** C compilers by the runtime's name of the architecture. */
const compilers: Readonly<Record<string, readonly string[]>> = {
  x64: [process.arch === "x64" ? "gcc" : "x86_64-linux-gnu-gcc"],
  // Else atomic operations are calls into libgcc, which is not there.
  arm64: [process.arch === "arm64" ? "gcc" : "aarch64-linux-gnu-gcc", "-mno-outline-atomics"],
};

const flags = [
  ...["-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"],
  // Callers do pass NULL if the header says that they must not.
  ...["-Wall", "-Wextra", "-Werror", "-Wno-nonnull-compare"],
  // Under two C libraries: nothing that only one of them has, and neither by name.
  ...["-nostdlib", "-fno-stack-protector", "-U_FORTIFY_SOURCE"],
  // Its own strlen and memcpy must not be compiled into calls of themselves.
  "-fno-tree-loop-distribute-patterns",
  ...["-Wl,-z,relro,-z,now,-z,noexecstack,--build-id=none,--hash-style=both"],
  // Before the constructors of other libraries read the environment.
  "-Wl,-z,initfirst,-soname,libsvc-preload.so",
];

/**
 * Compiles the interposer of `preload` into dist/lib; does nothing if its sources have not changed.
 *
 * @returns its path.
 */
export function buildPreload(root: string, architecture: string = process.arch): string {
  const folder = architecture === process.arch ? "lib" : `lib-${architecture}`;
  const target = join(root, "dist", folder, "libsvc-preload.so");
  const stampFile = join(root, "dist", `.preload-${architecture}.stamp`);
  const sources = join(root, "preload");
  const compiler = compilers[architecture] ?? ["gcc"];
  const stamp = stampOf(sources, compiler);
  if (existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
    return target;
  }
  mkdirSync(join(root, "dist", folder), { recursive: true });
  const fresh = `${target}.new`;
  const files = readdirSync(sources).filter((name) => name.endsWith(".c"));
  const command = [...compiler, ...flags, "-o", fresh, ...files.sort()];
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: sources });
  if (exitCode !== 0) throw new Error(`compile the interposer: ${stderr.toString()}`);
  // Beside the target and renamed: a program that has loaded it keeps its own inode.
  renameSync(fresh, target);
  writeFileSync(stampFile, stamp);
  process.stdout.write(`built dist/${folder}/libsvc-preload.so\n`);
  return target;
}

function stampOf(folder: string, compiler: readonly string[]): string {
  const hash = createHash("sha256").update([...compiler, ...flags].join(" "));
  for (const name of readdirSync(folder).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}
