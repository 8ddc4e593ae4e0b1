import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runGo } from "./go-command.ts";

/**
 * The modules whose `go` lines name the versions for their commands; the tools' may be the newer.
 */
const moduleFiles = ["go/go.mod", "scripts/go-tools/go.mod"] as const;

/**
 * The fault that keeps Go's commands from working here, as one line for people; undefined without
 * one.
 */
export function goProblem(root: string): string | undefined {
  const wanted = moduleFiles.map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
  }));
  if (Bun.which("go") === null) {
    return releaseProblem(undefined, wanted);
  }
  // In the modules' own folder: if GOTOOLCHAIN allows it, go becomes the release that go.mod
  // names.
  const { stdout, stderr } = runGo(["env", "GOVERSION"], {
    folder: join(root, "scripts/go-tools"),
  });
  return releaseProblem(stdout.trim() || stderr.trim(), wanted);
}

/** A go.mod. */
export interface ModuleFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Compares the output of `go env GOVERSION`, for example "go1.26.8", with the `go` lines of
 * modules. Another version, such as a development one, passes.
 */
export function releaseProblem(
  found: string | undefined,
  modules: readonly ModuleFile[],
): string | undefined {
  const needs = modules
    .map(({ path, text }) => ({ path, release: /^go (\d+\.\d+)/m.exec(text)?.[1] ?? "1.25" }))
    .toSorted((a, b) => compare(b.release, a.release));
  const [first] = needs;
  if (first === undefined) return undefined;
  const need = `go ${first.release} or newer is needed (${first.path})`;
  const hint = "hint: install it and put it first in PATH";
  if (found === undefined) return `${need}: no "go" in PATH: ${hint}`;
  const release = /^go(\d+\.\d+)/.exec(found)?.[1];
  if (release === undefined) return found.startsWith("devel") ? undefined : `${need}: ${found}`;
  return compare(release, first.release) < 0 ? `${need}: found ${found}: ${hint}` : undefined;
}

function compare(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split(".").map(Number);
  const [majorB = 0, minorB = 0] = b.split(".").map(Number);
  return majorA - majorB || minorA - minorB;
}
