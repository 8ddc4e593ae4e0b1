import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Signs SHA256SUMS with minisign's secret key in a file; the key's password is asked for on the
 * terminal. Every user with the public key verifies all files of the release with two commands.
 *
 * @returns why it failed; undefined if SHA256SUMS.minisig is there
 */
export function signRelease(folder: string, secretKey: string): string | undefined {
  if (Bun.which("minisign") === null) {
    return "MINISIGN_KEY is set, and there is no minisign\nhint: apt-get install minisign";
  }
  if (!existsSync(secretKey)) return `MINISIGN_KEY: no file ${secretKey}`;
  const sums = join(folder, "SHA256SUMS");
  const { exitCode, stderr } = Bun.spawnSync(
    ["minisign", "-S", "-s", secretKey, "-m", sums, "-t", "svc release"],
    { stdio: ["inherit", "ignore", "pipe"] },
  );
  return exitCode === 0 ? undefined : `sign SHA256SUMS: ${stderr.toString().trim()}`;
}
