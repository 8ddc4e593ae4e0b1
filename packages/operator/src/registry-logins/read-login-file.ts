import { open } from "node:fs/promises";
import { loginRefused } from "./login-failure.ts";
import { isSendable } from "./read-answer.ts";

/** A file of a login. */
export interface LoginFile {
  readonly path: string;
  /** The variable or flag that names it. */
  readonly named: string;
  /** As messages begin. */
  readonly operation: string;
  /** What to do if it is missing. */
  readonly hint: string;
}

const MOST_BYTES = 1024 * 1024;

/**
 * Reads a file again, for the kubelet replaces tokens in time.
 *
 * @throws ImageError `LOGIN_REFUSED`
 */
export async function readLoginFile(file: LoginFile): Promise<string> {
  const { path, named, operation, hint } = file;
  const refuse = (found: string) =>
    loginRefused(`${operation}: read ${path} of ${named}: ${found}`, { hint });
  try {
    await using handle = await open(path, "r");
    const { size } = await handle.stat();
    if (size > MOST_BYTES) throw refuse(`at most ${MOST_BYTES} bytes are read, there are ${size}`);
    return await handle.readFile("utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
    if (code.startsWith("LOGIN_")) throw error;
    throw refuse(`it cannot be read (${code})`);
  }
}

/**
 * Reads a token from its file.
 *
 * @throws ImageError `LOGIN_REFUSED`, also if the file holds no token
 */
export async function readTokenFile(file: LoginFile): Promise<string> {
  const token = (await readLoginFile(file)).trim();
  if (isSendable(token)) return token;
  const found = token === "" ? "it is empty" : "it holds no token";
  throw loginRefused(`${file.operation}: read ${file.path} of ${file.named}: ${found}`, {
    hint: file.hint,
  });
}
