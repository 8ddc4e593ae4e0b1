import { chmodSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { compileOnce } from "./compile-once.ts";

const TESTDATA = join(import.meta.dir, "../../preload/testdata");

/** The interposer as it was built. */
export const interposer = resolve(import.meta.dir, "../../../dist/lib/libsvc-preload.so");

/** A C program of testdata. */
export function compiled(name: string, compiler: readonly string[]): string {
  const source = join(TESTDATA, `${name}.c`);
  const words = [...compiler, "-O1", "-Wall", "-Wextra", "-Werror"];
  return compileOnce({
    name,
    from: [...words, readFileSync(source)],
    command: (target) => [...words, "-o", target, source],
  });
}

/** A copy of a program under another name and mode. */
export function copyOf(program: string, path: string, mode = 0o755): string {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(program, path);
  chmodSync(path, mode);
  return path;
}
