import { quoted } from "@svc/settings";
import { BootstrapError } from "../bootstrap-error.ts";
import { parsePgpKey } from "./parse-pgp-key.ts";
import type { Decoded } from "./pgp-armor.ts";

/** A key with photographs has some 20 KiB. */
const MOST_BYTES = 64 * 1024;

/**
 * Reads public keys from files, in base64 as sys/init takes them.
 * @throws BootstrapError `PGP_KEY_UNUSABLE`, which names every file that cannot be used
 */
export async function loadPgpKeys(paths: readonly string[]): Promise<readonly string[]> {
  const read = await Promise.all(paths.map(async (path) => ({ path, ...(await readKey(path)) })));
  const faults = read.flatMap((it) => ("fault" in it ? [`${quoted(it.path)} ${it.fault}`] : []));
  if (faults.length > 0) {
    const found = [...new Set(faults)].join("; ");
    throw new BootstrapError("PGP_KEY_UNUSABLE", `read the PGP keys: ${found}`);
  }
  return read.flatMap((it) => ("bytes" in it ? [it.bytes.toBase64()] : []));
}

async function readKey(path: string): Promise<Decoded> {
  try {
    const file = await Bun.file(path)
      .slice(0, MOST_BYTES + 1)
      .bytes();
    return file.length > MOST_BYTES
      ? { fault: `is larger than ${MOST_BYTES} bytes` }
      : parsePgpKey(file);
  } catch (error) {
    return { fault: `cannot be read${codeIn(error)}` };
  }
}

function codeIn(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^E[A-Z]+$/.test(code) ? ` (${code})` : "";
}
