import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileOnce } from "./compile-once.ts";

/** A Go program whose sources are in the repository. */
export interface GoModule {
  /** The name of the program. */
  readonly name: string;
  /** The folder of its package main. */
  readonly folder: string;
  /** The folders of everything that it is made from. */
  readonly sources: readonly string[];
  /** Further flags for the linker. */
  readonly linkerFlags?: string;
  /** By default this machine's. */
  readonly architecture?: string;
  /** True for the program that runs the folder's tests. */
  readonly tests?: boolean;
}

/** Compiles it without C, so that it is static. Returns its path. */
export function compileGoModule(module: GoModule): string {
  const { name, folder, sources, linkerFlags = "", tests = false } = module;
  const { architecture = process.arch } = module;
  const machine = architecture === "x64" ? "amd64" : architecture;
  const command = tests ? ["go", "-C", folder, "test", "-c"] : ["go", "-C", folder, "build"];
  const words = [...command, "-buildvcs=false", `-ldflags=${linkerFlags}`];
  return compileOnce({
    name,
    from: [...words.slice(3), machine, ...sources.flatMap((source) => contentsOf(source, tests))],
    command: (target) => [...words, "-o", target, "."],
    environment: { CGO_ENABLED: "0", GOARCH: machine },
  });
}

function contentsOf(folder: string, tests: boolean): readonly (string | Uint8Array)[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:\.go|\/?go\.mod|\/?go\.sum)$/.test(path))
    .filter((path) => tests || !path.endsWith("_test.go"))
    .sort()
    .flatMap((path) => [path, readFileSync(join(folder, path))]);
}
