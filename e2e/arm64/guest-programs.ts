import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { cacheFolder } from "@svc/testing";
import { architectures } from "../../scripts/build/bundle/architecture.ts";
import { foreignRuntime } from "../../scripts/build/bundle/foreign-runtime.ts";
import { compileProgram, hardenedRuntime, programs } from "../../scripts/build.ts";
import { compileOnce } from "../harness/programs/compile-once.ts";
import { goVariant, libraryTests, libraryVariant } from "../harness/programs/program-variants.ts";

const TESTDATA = resolve(import.meta.dir, "../testdata");
const COMPILER = "aarch64-linux-gnu-gcc";

/** The arm64 programs of the stories, by their path in the guest. */
export function guestPrograms(): Readonly<Record<string, string>> {
  return {
    "app/starts-as": compiled("starts-as", []),
    "app/dynamic": compiled("shows-delivery", []),
    "app/static": compiled("shows-delivery", ["-static"]),
    "app/static-pie": compiled("shows-delivery", ["-static-pie"]),
    "app/go": goVariant("arm64"),
    "app/library": libraryVariant("arm64"),
    "app/library-tests": libraryTests("arm64"),
  };
}

/** Compiles `svc`, which brings the store, for the guest. */
export function compileSvc(target: string): void {
  const architecture = architectures.find(({ name }) => name === "arm64");
  if (architecture === undefined) throw new TypeError("there is no bundle for arm64");
  const path = hardenedRuntime(foreignRuntime(architecture, cacheFolder(process.env)));
  compileProgram(programs.svc, target, { path, architecture: architecture.name });
}

function compiled(name: string, flags: readonly string[]): string {
  const source = resolve(TESTDATA, `${name}.c`);
  const words = [COMPILER, "-O1", "-Wall", "-Wextra", "-Werror", ...flags];
  return compileOnce({
    name,
    from: [...words, readFileSync(source)],
    command: (target) => [...words, "-o", target, source],
  });
}
