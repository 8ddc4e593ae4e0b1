/**
 * Compiles the kernel side of the agent: `bun scripts/build/bpf.ts [x64|arm64]` makes
 * dist/bpf/secret_monitor.o, and dist/bpf-ARCHITECTURE/secret_monitor.o of another machine's. Not a
 * part of scripts/build.ts: most of its results are used without clang, and a demonstration should
 * not wait for it.
 */
import { renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { ownArchitecture } from "./bundle/architecture.ts";
import { putCompiled, run } from "./compiled-file.ts";

const compiler = "clang-19";
const strip = "llvm-strip-19";

const flags = [
  // The agent compares the types of BPF (-g) with the kernel's; the rest of the debugging is
  // stripped.
  ...["-g", "-O2", "-target", "bpf", "-mcpu=v3"],
  ...["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"],
  // The same bytes from every folder.
  "-fdebug-compilation-dir=.",
];

/**
 * The kernel's headers are Debian's, in a folder that the target `bpf` does not search. The parts
 * that are used are the same on all.
 */
const headers = `/usr/include/${ownArchitecture().triplet}`;

/** The kernel's names of architectures, by which libbpf's headers and ours know the registers. */
const machines: Readonly<Record<string, string>> = { x64: "x86", arm64: "arm64" };

if (import.meta.main) buildBpf(resolve(import.meta.dirname, "../.."), process.argv[2]);

/**
 * Compiles `bpf/secret_monitor.bpf.c` for an architecture, by default this machine's. Does nothing
 * if its sources have not changed.
 *
 * @returns its path.
 */
export function buildBpf(root: string, architecture: string = process.arch): string {
  const sources = join(root, "bpf");
  const folder = architecture === process.arch ? "dist/bpf" : `dist/bpf-${architecture}`;
  const target = join(root, folder, "secret_monitor.o");
  const source = "secret_monitor.bpf.c";
  const file = {
    ...{ name: `bpf-${architecture}`, folder: sources, sources: [source], tools: [strip] },
    command: [compiler, ...flagsFor(architecture), "-idirafter", headers],
    make: (path: string) => compileBpf(sources, source, path, architecture),
  };
  if (putCompiled(file, target)) process.stdout.write(`built ${folder}/secret_monitor.o\n`);
  return target;
}

/** Compiles one file of BPF programs, by default for this machine's architecture. */
export function compileBpf(
  folder: string,
  source: string,
  target: string,
  architecture: string = process.arch,
): void {
  // Written beside the target and renamed, so that a reader never sees half a file.
  const fresh = `${target}.${process.pid}`;
  const places = ["-idirafter", headers, `-ffile-prefix-map=${folder}=.`];
  const words = [...flagsFor(architecture), ...places];
  run([compiler, ...words, "-c", source, "-o", fresh], folder);
  run([strip, "--strip-debug", fresh], folder);
  renameSync(fresh, target);
}

function flagsFor(architecture: string): readonly string[] {
  const machine = machines[architecture];
  if (machine !== undefined) return [...flags, `-D__TARGET_ARCH_${machine}`];
  const known = Object.keys(machines).join(", ");
  throw new Error(`compile BPF programs: there are none for ${architecture}; known are ${known}`);
}
