import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { compileGoModule } from "./compile-go-module.ts";
import { compileOnce } from "./compile-once.ts";

const SOURCE = resolve(import.meta.dir, "../../testdata/shows-delivery.c");
const LIBRARY = resolve(import.meta.dir, "../../../go");
const LIBRARY_PROGRAM = resolve(import.meta.dir, "../../testdata/library-program");

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
  const machine = architecture === "x64" ? "amd64" : architecture;
  return compileOnce({
    name: "shows-delivery",
    from: [showsDelivery, machine],
    command: (target) => {
      const folder = dirname(target);
      writeFileSync(join(folder, "main.go"), showsDelivery);
      writeFileSync(join(folder, "go.mod"), "module shows-delivery\n\ngo 1.25\n");
      return ["go", "build", "-C", folder, "-o", target, "."];
    },
    environment: { CGO_ENABLED: "0", GOARCH: machine },
  });
}

/**
 * The program of testdata/library-program, which imports the library as programs of other modules
 * do: it shows its delivery, or acts by its argument; `wait` makes it wait.
 */
export function libraryVariant(architecture = process.arch): string {
  return compileGoModule({
    name: "library-program",
    folder: LIBRARY_PROGRAM,
    sources: [LIBRARY, LIBRARY_PROGRAM],
    architecture,
  });
}

/**
 * The library's own tests as a program; those that read test vectors want them at
 * ../formats/vectors.
 */
export function libraryTests(architecture = process.arch): string {
  return compileGoModule({
    name: "library-tests",
    folder: LIBRARY,
    sources: [LIBRARY],
    architecture,
    tests: true,
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
