import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cacheFolder } from "@svc/testing";
import { settleFolder } from "../processes/settle-folder.ts";

const SOURCES = resolve(import.meta.dir, "../../testdata");
const FLAGS = ["-O1", "-Wall", "-Wextra", "-Werror"] as const;
const COMPILERS_AT_ONCE = 2;

const folder = await compileFixtures();

/**
 * The path of a fixture program: `fixture("exits-with")` is compiled from testdata/exits-with.c.
 */
export function fixture(name: string): string {
  const path = join(folder, name);
  if (!existsSync(path)) throw new TypeError(`fixture ${name}: there is no testdata/${name}.c`);
  return path;
}

/** Compiles every C program in testdata, once for each content of the sources. */
async function compileFixtures(): Promise<string> {
  const names = readdirSync(SOURCES).filter((name) => name.endsWith(".c"));
  const cache = cacheFolder(process.env);
  const target = join(cache, `e2e-fixtures-${hashOf(names)}`);
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "e2e-fixtures-new-"));
  const rest = [...names];
  await Promise.all(Array.from({ length: COMPILERS_AT_ONCE }, () => compileRest(rest, fresh)));
  settleFolder(fresh, target);
  return target;
}

async function compileRest(rest: string[], target: string): Promise<void> {
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    const program = join(target, name.replace(/\.c$/, ""));
    const compiler = Bun.spawn(["gcc", ...FLAGS, "-o", program, join(SOURCES, name)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const complaints = await compiler.stderr.text();
    if ((await compiler.exited) !== 0) throw new TypeError(`compile ${name}: ${complaints}`);
  }
}

function hashOf(names: readonly string[]): string {
  const hash = createHash("sha256").update(FLAGS.join(" "));
  for (const name of [...names].sort()) hash.update(name).update(readFileSync(join(SOURCES, name)));
  return hash.digest("hex").slice(0, 16);
}
