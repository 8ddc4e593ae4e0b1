import { rmSync } from "node:fs";
import { temporaryFolder } from "@svc/testing";
import { Secret } from "@svc/vault";
import { textOf } from "./opened-store.ts";

/** How a holder exports the public key. */
export type KeyForm = "armored" | "binary" | "base64";

/** The people who hold PGP keys, with GnuPG as they use it. */
export interface Gnupg extends Disposable {
  /**
   * Makes a key for encryption, or one that can only sign; gives the file of the public key.
   */
  makeKey(name: string, wanted: KeyRequest): Promise<string>;
  /** Decrypts the base64 of a message to one of them. */
  decrypt(secret: Secret): Promise<Secret>;
}

interface KeyRequest {
  /**
   * The algorithm of the encryption, in gpg's words; signatures are by Ed25519, which is made at
   * once.
   */
  readonly algorithm: "rsa4096" | "cv25519";
  readonly form?: KeyForm;
  readonly signsOnly?: true;
}

/** Starts with its own empty keyring. */
export function gnupg(): Gnupg {
  const folder = temporaryFolder();
  const home = folder.path;
  return {
    makeKey: (name, wanted) => makeKey(home, name, wanted),
    decrypt: async (secret) => {
      const message = Uint8Array.fromBase64(textOf(secret));
      return new Secret(await gpg(home, ["--decrypt"], message));
    },
    [Symbol.dispose]: () => {
      // gpg has started it, and it stays.
      Bun.spawnSync(["gpgconf", "--homedir", home, "--kill", "gpg-agent"]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function makeKey(home: string, name: string, wanted: KeyRequest): Promise<string> {
  const { algorithm, form = "armored", signsOnly } = wanted;
  await gpg(home, ["--quick-generate-key", name, "ed25519", "sign", "never"]);
  if (signsOnly === undefined) {
    await gpg(home, ["--quick-add-key", await fingerprint(home, name), algorithm, "encr", "never"]);
  }
  const armor = form === "armored" ? ["--armor"] : [];
  const exported = await gpg(home, [...armor, "--export", name]);
  const path = `${home}/${name}.${form}`;
  await Bun.write(path, form === "base64" ? `${exported.toBase64()}\n` : exported);
  return path;
}

async function fingerprint(home: string, name: string): Promise<string> {
  const listed = await gpg(home, ["--with-colons", "--list-keys", name]);
  const line = new TextDecoder().decode(listed).match(/^fpr:+([0-9A-F]{40}):/m);
  return line?.[1] ?? "";
}

async function gpg(
  home: string,
  words: readonly string[],
  input = new Uint8Array(),
): Promise<Uint8Array> {
  const quiet = ["--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""];
  const child = Bun.spawn(["gpg", "--homedir", home, ...quiet, ...words], {
    stdin: input,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, said] = await Promise.all([child.stdout.bytes(), child.stderr.text()]);
  if ((await child.exited) === 0) return output;
  throw new Error(`gpg ${words.join(" ")}: ${said}`);
}
