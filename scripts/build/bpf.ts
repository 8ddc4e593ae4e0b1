/**
 * Compiles the kernel side of the agent: `bun scripts/build/bpf.ts` makes dist/bpf/secret_monitor.o. No part of
 * scripts/build.ts: most of what that builds is used without clang, and a demonstration should not wait for it.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

const compiler = "clang-19";

const flags = [
  // The types of BPF (-g) are what the kernel's are compared with; the rest of the debugging is stripped.
  ...["-g", "-O2", "-target", "bpf", "-mcpu=v3", "-D__TARGET_ARCH_x86"],
  ...["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"],
  // The kernel's headers are Debian's, where the target `bpf` does not look.
  ...["-idirafter", "/usr/include/x86_64-linux-gnu"],
  // The same bytes from every folder.
  "-fdebug-compilation-dir=.",
];

if (import.meta.main) buildBpf(resolve(import.meta.dirname, "../.."));

/**
 * Compiles `bpf/secret_monitor.bpf.c` into dist/bpf; does nothing where its sources have not changed.
 *
 * @returns its path.
 */
export function buildBpf(root: string): string {
  const sources = join(root, "bpf");
  const target = join(root, "dist/bpf/secret_monitor.o");
  const stampFile = join(root, "dist/.bpf.stamp");
  const stamp = stampOf(sources);
  if (existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
    return target;
  }
  mkdirSync(join(root, "dist/bpf"), { recursive: true });
  compileBpf(sources, "secret_monitor.bpf.c", target);
  writeFileSync(stampFile, stamp);
  process.stdout.write("built dist/bpf/secret_monitor.o\n");
  return target;
}

/** Compiles one file of BPF programs. */
export function compileBpf(folder: string, source: string, target: string): void {
  // Beside the target and renamed: whoever reads it at the same time reads all of one.
  const fresh = `${target}.${process.pid}`;
  run([compiler, ...flags, `-ffile-prefix-map=${folder}=.`, "-c", source, "-o", fresh], folder);
  run(["llvm-strip-19", "--strip-debug", fresh], folder);
  renameSync(fresh, target);
}

function run(command: readonly string[], folder: string): void {
  const name = command[0] ?? "";
  if (Bun.which(name) === null) {
    throw new Error(`compile BPF programs: ${name} is missing: bun scripts/ensure-commands.ts`);
  }
  const { exitCode, stderr } = Bun.spawnSync([...command], { cwd: folder });
  if (exitCode !== 0) throw new Error(`compile BPF programs: ${stderr.toString()}`);
}

function stampOf(folder: string): string {
  const hash = createHash("sha256").update([compiler, ...flags].join(" "));
  for (const name of readdirSync(folder).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}
