import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileOnce } from "./compile-once.ts";

/** A Go program whose sources are in the repository. */
export interface GoModule {
  /** The name of the program. */
  readonly name: string;
  /** The folder of its package main. */
  readonly folder: string;
  /** The folders of everything that it is made from; tests in them do not matter. */
  readonly sources: readonly string[];
  /** What the linker is told besides. */
  readonly linkerFlags?: string;
}

/** Compiles it without C, so that it is static. Returns its path. */
export function compileGoModule({ name, folder, sources, linkerFlags = "" }: GoModule): string {
  const words = ["go", "build", "-C", folder, "-buildvcs=false", `-ldflags=${linkerFlags}`];
  return compileOnce({
    name,
    from: [name, linkerFlags, ...sources.flatMap(contentsOf)],
    command: (target) => [...words, "-o", target, "."],
    environment: { CGO_ENABLED: "0" },
  });
}

function contentsOf(folder: string): readonly (string | Uint8Array)[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:\.go|\/?go\.mod|\/?go\.sum)$/.test(path) && !path.endsWith("_test.go"))
    .sort()
    .flatMap((path) => [path, readFileSync(join(folder, path))]);
}
