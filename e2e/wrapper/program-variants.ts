import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { cacheFolder } from "@svc/testing";
import { libraryModule } from "../../packages/wrapper/src/program/go-build-info.ts";

const SOURCE = resolve(import.meta.dir, "../testdata/shows-delivery.c");

/** How testdata/shows-delivery.c is compiled. */
const compilers = {
  "glibc, dynamic": ["gcc"],
  "glibc, static": ["gcc", "-static"],
  "glibc, static and position-independent": ["gcc", "-static-pie"],
  "musl, dynamic": ["musl-gcc"],
  "musl, static": ["musl-gcc", "-static"],
} as const;

export type Variant = keyof typeof compilers;

/** The variants, dynamic and static, of both libraries. */
export const variants = Object.keys(compilers).filter((name): name is Variant => name in compilers);

/** The path of a variant; it is compiled once for each content of its source. */
export function variantOf(name: Variant): string {
  const command = [...compilers[name], "-O1", "-Wall", "-Wextra", "-Werror"];
  const hash = createHash("sha256").update(command.join(" ")).update(readFileSync(SOURCE));
  const folder = join(cacheFolder(process.env), `e2e-variant-${hash.digest("hex").slice(0, 16)}`);
  const program = join(folder, "shows-delivery");
  if (existsSync(program)) return program;
  return join(
    moved(
      build((target) => [...command, "-o", target, SOURCE]),
      folder,
    ),
    "shows-delivery",
  );
}

/** A Go program without libc that prints its environment as shows-delivery.c does. */
export function goVariant(): string {
  return goProgram("shows-delivery", showsDelivery);
}

/** A Go program of the library's own module, which reads the region itself; `wait` makes it wait. */
export function libraryVariant(): string {
  return goProgram(libraryModule, readsRegion);
}

function goProgram(module: string, source: string): string {
  const hash = createHash("sha256").update(module).update(source).digest("hex").slice(0, 16);
  const folder = join(cacheFolder(process.env), `e2e-variant-go-${hash}`);
  if (existsSync(folder)) return join(folder, "shows-delivery");
  const fresh = build((target) => {
    const sources = dirname(target);
    writeFileSync(join(sources, "main.go"), source);
    writeFileSync(join(sources, "go.mod"), `module ${module}\n\ngo 1.25\n`);
    return ["go", "build", "-C", sources, "-o", target, "."];
  });
  return join(moved(fresh, folder), "shows-delivery");
}

const showsDelivery = `package main

import (
	"bytes"
	"fmt"
	"os"
)

func main() {
	for _, entry := range os.Environ() {
		fmt.Println("env", entry)
	}
	block, _ := os.ReadFile("/proc/self/environ")
	for _, entry := range bytes.Split(block, []byte{0}) {
		if len(entry) > 0 {
			fmt.Println("block", string(entry))
		}
	}
	fmt.Println("page", os.Getpagesize())
	os.Exit(7)
}
`;

const readsRegion = `package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func main() {
	fd, err := strconv.Atoi(os.Getenv("SVC_SECRET_FD"))
	if err != nil {
		panic(err)
	}
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		panic(err)
	}
	region, err := syscall.Mmap(fd, 0, int(info.Size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	syscall.Close(fd)
	if len(os.Args) > 1 {
		fmt.Println("holds", bytes.IndexByte(region, 0))
		for {
			syscall.Pause()
		}
	}
	fmt.Printf("%s\\n", region[:bytes.IndexByte(region, 0)])
	block, _ := os.ReadFile("/proc/self/environ")
	fmt.Printf("%q %t\\n", os.Getenv("DB_PASSWORD"), bytes.Contains(block, region[12:20]))
}
`;

function build(command: (target: string) => readonly string[]): string {
  const cache = cacheFolder(process.env);
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "e2e-variant-new-"));
  const words = command(join(fresh, "shows-delivery"));
  const { exitCode, stderr } = Bun.spawnSync([...words], {
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  if (exitCode !== 0) throw new TypeError(`${words.join(" ")}: ${stderr.toString()}`);
  return fresh;
}

/** Another run may have been faster: then its folder is as good as ours. */
function moved(fresh: string, folder: string): string {
  if (!existsSync(folder)) renameSync(fresh, folder);
  return folder;
}
