import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "@svc/testing";
import { settleFolder } from "../harness/processes/settle-folder.ts";

const SOURCES = join(import.meta.dir, "testdata");
const WARNINGS = ["-O1", "-Wall", "-Wextra", "-Werror"] as const;

/** The programs, with the source and the compiler of each. */
const recipes = {
  "enters-root": ["gcc", "-static", "enters-root.c"],
  "tells-static": ["gcc", "-static", "tells.c"],
  "tells-glibc": ["gcc", "tells.c"],
  "tells-musl": ["musl-gcc", "tells.c"],
  "steers.so": ["gcc", "-shared", "-fPIC", "says-steered.c"],
} as const;

const folder = compilePrograms();

/** The path of a compiled program. */
export function program(name: keyof typeof recipes): string {
  return join(folder, name);
}

/** Compiles every program, once for each content of the sources. */
function compilePrograms(): string {
  const cache = cacheFolder(process.env);
  const target = join(cache, `e2e-bundle-${recipesHash()}`);
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "e2e-bundle-new-"));
  for (const [name, words] of Object.entries(recipes)) {
    const [compiler = "", ...rest] = [...words].map((word) =>
      word.endsWith(".c") ? join(SOURCES, word) : word,
    );
    const cmd = [compiler, ...WARNINGS, "-o", join(fresh, name), ...rest];
    const { exitCode, stderr } = Bun.spawnSync({ cmd });
    if (exitCode !== 0) throw new TypeError(`compile ${name}: ${stderr}`);
  }
  settleFolder(fresh, target);
  return target;
}

function recipesHash(): string {
  const hash = createHash("sha256").update(JSON.stringify([recipes, WARNINGS]));
  for (const word of new Set(Object.values(recipes).flat())) {
    if (word.endsWith(".c")) hash.update(readFileSync(join(SOURCES, word)));
  }
  return hash.digest("hex").slice(0, 16);
}
