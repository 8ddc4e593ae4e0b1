import { readFileSync } from "node:fs";
import { join } from "node:path";
import { affectedTests } from "./affected-tests.ts";
import { type Entries, importGraph, type Packages, type Sources } from "./import-graph.ts";

/**
 * The unit tests that the changes since `main` may break, committed or not. On `main` itself these
 * are the changes of the last commit.
 */
export function findAffected(root: string): readonly string[] {
  return affectedTests(changedFiles(root), importGraph(readSources(root), readPackages(root)));
}

/** From each TypeScript file to the unit tests that load it, by any number of imports. */
export function testsByFile(root: string): (path: string) => readonly string[] {
  const graph = importGraph(readSources(root), readPackages(root));
  return (path) => affectedTests([path], graph);
}

function changedFiles(root: string): readonly string[] {
  const git = (...words: readonly string[]): string | undefined => {
    const { exitCode, stdout } = Bun.spawnSync(["git", ...words], { cwd: root, stderr: "ignore" });
    return exitCode === 0 ? stdout.toString().trim() : undefined;
  };
  const head = git("rev-parse", "HEAD");
  const base = git("merge-base", "HEAD", "origin/main") ?? git("merge-base", "HEAD", "main");
  const since = base === undefined || base === head ? "HEAD~1" : base;
  const tracked = git("diff", "--name-only", since) ?? git("diff", "--name-only", "HEAD");
  if (tracked === undefined) throw new Error("list the changes: this is not a checkout of git");
  const untracked = git("ls-files", "--others", "--exclude-standard") ?? "";
  return `${tracked}\n${untracked}`.split("\n").filter((path) => path !== "");
}

function readSources(root: string): Sources {
  const paths = ["packages", "scripts", "bench", "e2e"].flatMap((folder) => [
    ...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root),
  ]);
  const own = paths.filter((path) => !path.includes("node_modules/"));
  return new Map(own.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

function readPackages(root: string): Packages {
  const manifests = [...new Bun.Glob("packages/*/package.json").scanSync(root)];
  return new Map(
    manifests.map((path) => {
      const {
        name,
        exports = {},
        imports = {},
      } = JSON.parse(readFileSync(join(root, path), "utf8"));
      const folder = path.replace("/package.json", "");
      const offered = typeof exports === "string" ? { ".": exports } : exports;
      const entries = Object.entries({ ...offered, ...imports }).map(([entry, files]) => [
        entry,
        pathsIn(files).map((file) => join(folder, file)),
      ]);
      return [name, { entries: Object.fromEntries(entries) as Entries }];
    }),
  );
}

/** A path, or one for each runtime. */
function pathsIn(files: unknown): readonly string[] {
  if (typeof files === "string") return [files];
  return typeof files === "object" && files !== null ? Object.values(files).flatMap(pathsIn) : [];
}
