import { TestingError } from "./errors.ts";
import { findProgram, runCommand } from "./run-command.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The command that runs pip; installs Debian's package when there is none and we are root. */
export async function findPip(env: Env): Promise<readonly string[]> {
  const own = [...(await interpreter(env)), "-m", "pip"];
  if (await works(own, env)) return own;
  await installPip(env);
  // Another python3 may come first in PATH; Debian's pip belongs to Debian's.
  return ["/usr/bin/python3", "-m", "pip"];
}

/**
 * The interpreter itself: pyenv's shim fails after an installation if its own folder is
 * read-only.
 */
async function interpreter(env: Env): Promise<readonly string[]> {
  try {
    const path = await runCommand(["python3", "-c", "import sys; print(sys.executable)"], env);
    return [path.trim()];
  } catch (error) {
    if (error instanceof TestingError) return ["python3"];
    throw error;
  }
}

async function works(pip: readonly string[], env: Env): Promise<boolean> {
  try {
    await runCommand([...pip, "--version"], env);
    return true;
  } catch (error) {
    if (error instanceof TestingError) return false;
    throw error;
  }
}

async function installPip(env: Env): Promise<void> {
  if (process.getuid?.() !== 0 || findProgram("apt-get", env) === null) {
    throw new TestingError("FETCH_FAILED", "find pip: python3 -m pip does not work", {
      hint: "install pip for python3 (Debian: apt-get install python3-pip)",
    });
  }
  const quiet = { ...env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"];
  const install = [...apt, "install", "-y", "--no-install-recommends", "python3-pip"];
  try {
    await runCommand(install, quiet);
  } catch (error) {
    if (!(error instanceof TestingError)) throw error;
    // A fresh image has no package lists: fetch them, then the second failure counts.
    await runCommand([...apt, "update"], quiet);
    await runCommand(install, quiet);
  }
}
