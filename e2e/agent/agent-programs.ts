import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileOnce } from "../harness/programs/compile-once.ts";

const root = join(import.meta.dirname, "../..");

/** The path of a program of this folder's testdata. */
export function agentProgram(name: string): string {
  const source = join(import.meta.dirname, "testdata", `${name}.c`);
  const header = join(root, "bpf/event.h");
  return compileOnce({
    name,
    from: [readFileSync(source), readFileSync(header)],
    command: (target) => {
      const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"];
      return ["gcc", ...flags, source, "-o", target];
    },
  });
}
