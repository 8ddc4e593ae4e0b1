import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileGoModule } from "../harness/programs/compile-go-module.ts";
import { compileOnce } from "../harness/programs/compile-once.ts";

const TESTDATA = join(import.meta.dir, "testdata");

/** Fills a folder with the workers, which chains run copies of. */
export function makeWorkers(folder: string): void {
  cpSync(TESTDATA, folder, { recursive: true });
  const goFolder = join(TESTDATA, "worker-go");
  const program = compileGoModule({ name: "worker-go", folder: goFolder, sources: [goFolder] });
  copyFileSync(program, join(folder, "worker-static"));
  const source = join(TESTDATA, "worker.c");
  const words = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror"];
  const compiled = compileOnce({
    name: "worker-c",
    from: [...words, readFileSync(source)],
    command: (target) => [...words, "-o", target, source],
  });
  copyFileSync(compiled, join(folder, "worker-c"));
  for (const name of ["worker-static", "worker-c", "worker.sh"]) {
    chmodSync(join(folder, name), 0o755);
  }
}

/** The digests by which a worker proves that it has the values. */
export function digestsOf(password: string, key: string): readonly string[] {
  const text = `${password}\n${key}`;
  return [createHash("sha256").update(text).digest("hex"), fnv(text)];
}

/** FNV-1a of 64 bits, as worker.c computes it. */
function fnv(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
