import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { cacheFolder } from "@svc/testing";

const TESTDATA = join(import.meta.dir, "testdata");

/** The interposer as it was built. */
export const interposer = resolve(import.meta.dir, "../../dist/lib/libsvc-preload.so");

/** A C program of testdata, compiled once for each content of its source. */
export function compiled(name: string, command: readonly string[]): string {
  const source = join(TESTDATA, `${name}.c`);
  const words = [...command, "-O1", "-Wall", "-Wextra", "-Werror"];
  const hash = createHash("sha256").update(words.join(" ")).update(readFileSync(source));
  const folder = join(cacheFolder(process.env), `e2e-preload-${hash.digest("hex").slice(0, 16)}`);
  const target = join(folder, name);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  const fresh = `${target}.${process.pid}`;
  const { exitCode, stderr } = Bun.spawnSync([...words, "-o", fresh, source]);
  if (exitCode !== 0) throw new TypeError(`${words.join(" ")}: ${stderr.toString()}`);
  renameSync(fresh, target);
  return target;
}

/** A copy of a program under a name and mode of its own. */
export function copyOf(program: string, path: string, mode = 0o755): string {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(program, path);
  chmodSync(path, mode);
  return path;
}
