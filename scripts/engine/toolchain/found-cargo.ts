import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const manifest = resolve(import.meta.dir, "../../../engine/Cargo.toml");

/** Whether there is a cargo on PATH that can compile engine/. */
export function hasCargo(): boolean {
  if (Bun.which("cargo") === null) return false;
  const { exitCode, stdout } = Bun.spawnSync(["cargo", "--version"], { stderr: "ignore" });
  const wanted = /^rust-version = "(.+)"$/m.exec(readFileSync(manifest, "utf8"))?.[1] ?? "";
  return exitCode === 0 && isNewEnough(stdout.toString(), wanted);
}

/**
 * The versions of the compilers for which there is a cargo on PATH that can compile engine/;
 * undefined if there is none.
 */
export function machineCompilers(): string | undefined {
  if (!hasCargo()) return undefined;
  // rustup takes the compiler of the folder's toolchain; cc-rs takes `cc`.
  const folder = dirname(manifest);
  return ["rustc -vV", "cc --version"]
    .map((command) => Bun.spawnSync(command.split(" "), { cwd: folder, stderr: "ignore" }))
    .map(({ stdout }) => stdout.toString())
    .join("");
}

/** Whether `cargo 1.96.0 (…)` is of a version or of a later one, as `1.88`. */
export function isNewEnough(said: string, wanted: string): boolean {
  const found = /^cargo (\d+)\.(\d+)/.exec(said);
  const [major = 0, minor = 0] = wanted.split(".").map(Number);
  if (found === null) return false;
  const [own, ownMinor] = [Number(found[1]), Number(found[2])];
  return own > major || (own === major && ownMinor >= minor);
}
