import { temporaryFolder } from "@svc/testing";
import { Secret } from "@svc/vault";
import { textOf } from "./opened-store.ts";

/** The holder of a key of age, with the `age` command as they use it. */
export interface AgeIdentity extends Disposable {
  readonly recipient: string;
  /** Decrypts the base64 of a file for them. Rejects a file for another holder. */
  decrypt(secret: Secret): Promise<Secret>;
}

/** Makes a key with `age-keygen`. */
export async function ageIdentity(): Promise<AgeIdentity> {
  const folder = temporaryFolder();
  const file = `${folder.path}/identity`;
  await run(["age-keygen", "-o", file]);
  const recipient = new TextDecoder().decode(await run(["age-keygen", "-y", file])).trim();
  return {
    recipient,
    decrypt: async (secret) => {
      const message = Uint8Array.fromBase64(textOf(secret));
      return new Secret(await run(["age", "--decrypt", "-i", file], message));
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

async function run(words: readonly string[], input = new Uint8Array()): Promise<Uint8Array> {
  const child = Bun.spawn([...words], { stdin: input, stdout: "pipe", stderr: "pipe" });
  const [output, said] = await Promise.all([child.stdout.bytes(), child.stderr.text()]);
  if ((await child.exited) === 0) return output;
  throw new Error(`${words.join(" ")}: ${said}`);
}
