import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { program } from "./programs.ts";

/** A root file system for a container. */
export interface Root {
  readonly path: string;
  /** A program that its libraries can run, or one that needs none. */
  readonly program: string;
}

const folders = ["dev", "proc", "opt", "tmp", "etc"] as const;

/** Makes the roots below a folder. */
export function makeRoots(folder: string): Readonly<Record<string, Root>> {
  return {
    "an empty root": emptyRoot(join(folder, "scratch")),
    "a root with glibc and no shell": glibcRoot(join(folder, "distroless")),
    "a root with musl and busybox": muslRoot(join(folder, "alpine")),
    // The one that this machine runs from.
    "a Debian root": { path: "/", program: program("tells-glibc") },
  };
}

/** As `FROM scratch`: it has the program alone, which brings all that it needs. */
export function emptyRoot(path: string): Root {
  for (const name of folders) mkdirSync(join(path, name), { recursive: true });
  chmodSync(path, 0o755);
  return { path, program: program("tells-static") };
}

/** As a distroless image: the libraries of Debian's libc6, and users. */
export function glibcRoot(path: string): Root {
  emptyRoot(path);
  const { stdout } = Bun.spawnSync(["dpkg-query", "--listfiles", "libc6"]);
  const libraries = /^\/(?:usr\/)?lib\/(?:[\w-]+-linux-gnu\/[\w.+-]+\.so(?:\.\d+)?)$/;
  const files = stdout
    .toString()
    .split("\n")
    .filter((line) => libraries.test(line));
  for (const file of files) copyInto(path, file);
  const loader = readElfInterpreter(program("tells-glibc"));
  copyInto(path, loader);
  writeFileSync(join(path, "etc/passwd"), "root:x:0:0::/root:/sbin/nologin\n");
  return { path, program: program("tells-glibc") };
}

/** As Alpine: musl's loader, which is its libc too, and busybox. */
export function muslRoot(path: string): Root {
  emptyRoot(path);
  copyInto(path, readElfInterpreter(program("tells-musl")));
  copyInto(path, "/bin/busybox");
  symlinkSync("busybox", join(path, "bin/sh"));
  return { path, program: program("tells-musl") };
}

function copyInto(root: string, file: string): void {
  const target = join(root, file);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(file, target);
}

function readElfInterpreter(file: string): string {
  const found = /\0(\/[\w/-]*\/ld-[\w.-]+)\0/.exec(readFileSync(file, "latin1"))?.[1];
  if (found === undefined) throw new TypeError(`${basename(file)} names no loader`);
  return found;
}
