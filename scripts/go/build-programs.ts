import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findProgram, TestingError } from "../../packages/testing/src/tools.ts";
import { withLock } from "../results/with-lock.ts";
import { goEnvironment } from "./go-command.ts";
import { releaseProblem } from "./go-release.ts";
import { runBuild } from "./run-build.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Programs of other projects that tests need, compiled from modules that a go.sum names by hash.
 */
export interface ForeignPrograms {
  /** For people: `kube-apiserver and etcd`. */
  readonly what: string;
  /** The folder of go.mod, from the root of the repository. */
  readonly module: string;
  /** The main packages by the file that each is to become. */
  readonly packages: Readonly<Record<string, string>>;
  /** The variables that the linker sets, by their full names. */
  readonly variables: Readonly<Record<string, string>>;
  /** The programs contain C, so the build needs gcc. */
  readonly cgo?: true;
}

const root = join(import.meta.dirname, "../..");

/**
 * Makes sure that the programs are in `folder`, and does nothing when they are there. Compiling
 * takes minutes, and `say` gets lines about it. Two runs at once are safe: each works in a separate
 * folder, and the rename of the first one wins. Throws `FETCH_FAILED`.
 */
export async function buildPrograms(
  programs: ForeignPrograms,
  folder: string,
  env: Env,
  say: (line: string) => void,
): Promise<void> {
  if (areThere(programs, folder)) return;
  const cgo = programs.cgo ? "1" : "0";
  const go: Env = { ...goEnvironment(env), CGO_ENABLED: cgo, GOTOOLCHAIN: "local" };
  refuseOldGo(programs, go);
  await mkdir(dirname(folder), { recursive: true });
  const waits = () => say(`another build compiles ${programs.what}: waiting for it`);
  await withLock(`${folder}.lock`, waits, () => compile(programs, folder, go, say));
}

async function compile(
  programs: ForeignPrograms,
  folder: string,
  go: Env,
  say: (line: string) => void,
): Promise<void> {
  if (areThere(programs, folder)) return;
  const work = await mkdtemp(`${folder}.part-`);
  try {
    const wanted = { what: programs.what, folder: join(root, programs.module), env: go };
    await runBuild(command(programs, work), wanted, say);
    await nameFiles(programs, work);
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function areThere({ packages }: ForeignPrograms, folder: string): boolean {
  return Object.keys(packages).every((name) => existsSync(join(folder, name)));
}

/** With GOTOOLCHAIN=local go reports its own version, and never fetches another. */
function refuseOldGo({ what, module }: ForeignPrograms, env: Env): void {
  const path = `${module}/go.mod`;
  const text = readFileSync(join(root, path), "utf8");
  const problem = releaseProblem(goVersion(env), [{ path, text }]);
  if (problem !== undefined) throw new TestingError("FETCH_FAILED", `build ${what}: ${problem}`);
}

function goVersion(env: Env): string | undefined {
  const go = findProgram("go", env);
  if (go === null) return undefined;
  const { stdout, stderr } = Bun.spawnSync([go, "env", "GOVERSION"], { cwd: "/", env: { ...env } });
  return stdout.toString().trim() || stderr.toString().trim();
}

/** All other programs have the processors first. */
function command({ packages, variables }: ForeignPrograms, target: string): readonly string[] {
  const set = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  const exact = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
  const small = ["-ldflags", ["-s", "-w", ...set].join(" ")];
  const go = ["go", "build", "-v", ...exact, ...small, "-o", `${target}/`];
  return ["nice", "-n", "10", ...go, ...Object.values(packages)];
}

/** `go build` names a file after the last part of its package that is not a version. */
async function nameFiles({ packages }: ForeignPrograms, folder: string): Promise<void> {
  for (const [name, path] of Object.entries(packages)) {
    const built = path.replace(/\/v\d+$/, "").replace(/^.*\//, "");
    if (built !== name) await rename(join(folder, built), join(folder, name));
  }
}
