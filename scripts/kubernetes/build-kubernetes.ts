import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { TestingError } from "../../packages/testing/src/errors.ts";
import {
  KUBERNETES_RELEASE,
  type KubernetesPrograms,
  kubernetesFolder,
  programsIn,
} from "../../packages/testing/src/kubernetes-release.ts";
import { findProgram } from "../../packages/testing/src/run-command.ts";
import { goEnvironment } from "../go/go-command.ts";
import { releaseProblem } from "../go/go-release.ts";
import { runBuild } from "./run-build.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The main packages; the second compiles to "server". */
const PACKAGES = ["k8s.io/kubernetes/cmd/kube-apiserver", "go.etcd.io/etcd/server/v3"] as const;

/**
 * Makes sure that kube-apiserver and etcd are in `cache`, compiled from the modules that go.sum names by
 * hash, and gives their paths; does nothing when they are there. From an empty cache that takes about seven
 * minutes of CPU time, which `say` is told lines about. Two runs at once are safe: each works in a folder of
 * its own, and the rename of the first one wins. Throws `FETCH_FAILED`.
 */
export async function buildKubernetes(
  cache: string,
  env: Env,
  say: (line: string) => void,
): Promise<KubernetesPrograms> {
  const folder = kubernetesFolder(cache);
  if (areThere(folder)) return programsIn(folder);
  const go: Env = { ...goEnvironment(env), CGO_ENABLED: "0", GOTOOLCHAIN: "local" };
  refuseOldGo(go);
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(`${folder}.part-`);
  try {
    await runBuild(command(work), { folder: import.meta.dirname, env: go }, say);
    await rename(join(work, "server"), programsIn(work).etcd);
    await moveInPlace(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return programsIn(folder);
}

function areThere(folder: string): boolean {
  return Object.values(programsIn(folder)).every((path) => existsSync(path));
}

/** With GOTOOLCHAIN=local go says what it is, and never fetches another. */
function refuseOldGo(env: Env): void {
  const path = join(import.meta.dirname, "go.mod");
  const modules = [{ path: "scripts/kubernetes/go.mod", text: readFileSync(path, "utf8") }];
  const problem = releaseProblem(goVersion(env), modules);
  if (problem !== undefined) throw new TestingError("FETCH_FAILED", `build Kubernetes: ${problem}`);
}

function goVersion(env: Env): string | undefined {
  const go = findProgram("go", env);
  if (go === null) return undefined;
  const { stdout, stderr } = Bun.spawnSync([go, "env", "GOVERSION"], { cwd: "/", env: { ...env } });
  return stdout.toString().trim() || stderr.toString().trim();
}

/** Whatever else runs has the processors first. */
function command(target: string): readonly string[] {
  const { version } = KUBERNETES_RELEASE;
  const [major, minor] = version.split(".");
  // Without this it reports v0.0.0, and clients take it for ancient.
  const variables = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  const set = Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  const exact = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
  const small = ["-ldflags", ["-s", "-w", ...set].join(" ")];
  return [
    "nice",
    "-n",
    "10",
    "go",
    "build",
    "-v",
    ...exact,
    ...small,
    "-o",
    `${target}/`,
    ...PACKAGES,
  ];
}

/** A folder cannot replace one with files in it, so a lost race shows as the winner's programs. */
async function moveInPlace(work: string, folder: string): Promise<void> {
  try {
    await rename(work, folder);
  } catch (cause) {
    if (areThere(folder)) return;
    throw new TestingError("FETCH_FAILED", `rename ${work} to ${folder}: ${String(cause)}`, {
      cause,
    });
  }
}
