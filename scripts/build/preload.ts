import { readdirSync } from "node:fs";
import { join } from "node:path";
import { putCompiled, run } from "./compiled-file.ts";

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
  const name = architecture === process.arch ? "lib" : `lib-${architecture}`;
  const target = join(root, "dist", name, "libsvc-preload.so");
  const folder = join(root, "preload");
  const command = [...(compilers[architecture] ?? ["gcc"]), ...flags];
  const sources = readdirSync(folder).filter((file) => file.endsWith(".c"));
  const file = {
    ...{ name: `interposer-${architecture}`, folder, sources: sources.sort(), command },
    // The assembler and the linker of the same package.
    tools: [],
    make: (path: string) => void run([...command, "-o", path, ...sources], folder),
  };
  if (putCompiled(file, target)) process.stdout.write(`built dist/${name}/libsvc-preload.so\n`);
  return target;
}
