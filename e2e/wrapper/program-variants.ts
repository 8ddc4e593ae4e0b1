import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { libraryModule } from "../../packages/wrapper/src/program/go-build-info.ts";
import { compileOnce } from "./compile-once.ts";

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

/** The path of a variant. */
export function variantOf(name: Variant): string {
  const words = [...compilers[name], "-O1", "-Wall", "-Wextra", "-Werror"];
  return compileOnce({
    name: "shows-delivery",
    from: [...words, readFileSync(SOURCE)],
    command: (target) => [...words, "-o", target, SOURCE],
  });
}

/** A Go program without libc that prints its environment as shows-delivery.c does. */
export function goVariant(architecture = process.arch): string {
  return goProgram("shows-delivery", showsDelivery, architecture);
}

/** A Go program of the library's own module, which reads the region itself; `wait` makes it wait. */
export function libraryVariant(): string {
  return goProgram(libraryModule, readsRegion);
}

function goProgram(module: string, source: string, architecture = process.arch): string {
  const machine = architecture === "x64" ? "amd64" : architecture;
  return compileOnce({
    name: "shows-delivery",
    from: [module, source, machine],
    command: (target) => {
      const folder = dirname(target);
      writeFileSync(join(folder, "main.go"), source);
      writeFileSync(join(folder, "go.mod"), `module ${module}\n\ngo 1.25\n`);
      return ["go", "build", "-C", folder, "-o", target, "."];
    },
    environment: { CGO_ENABLED: "0", GOARCH: machine },
  });
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
