import { Secret } from "@svc/vault";
import { type AgeIdentity, ageIdentity } from "../harness/stores/age-identity.ts";
import { gnupg } from "../harness/stores/gnupg.ts";
import { textOf } from "../harness/stores/opened-store.ts";

/** Three people who hold a key share each. */
export interface KeyHolders extends Disposable {
  /** The flags of `svc secretstore init` for them. The first one has the root token as well. */
  readonly flags: readonly string[];
  /** Decrypts an entry of the Secret for the holder of that number, from 0. */
  decrypt(entry: string, holder: number): Promise<string>;
}

/** People with keys of age. */
export async function holdersOfAge(): Promise<KeyHolders> {
  using stack = new DisposableStack();
  const people: AgeIdentity[] = [];
  for (let count = 0; count < 3; count++) people.push(stack.use(await ageIdentity()));
  const recipients = people.map(({ recipient }) => recipient);
  const held = stack.move();
  return {
    flags: [
      `--age-recipients=${recipients.join(",")}`,
      `--root-token-age-recipient=${recipients[0]}`,
    ],
    decrypt: async (entry, holder) => {
      const person = people[holder];
      if (person === undefined) throw new RangeError(`there is no holder ${holder}`);
      return textOf(await person.decrypt(new Secret(entry)));
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** People with OpenPGP keys, of two kinds. */
export async function holdersOfPgp(): Promise<KeyHolders> {
  using stack = new DisposableStack();
  const people = stack.use(gnupg());
  const files = [
    await people.makeKey("ann", { algorithm: "rsa4096" }),
    await people.makeKey("ben", { algorithm: "cv25519" }),
    await people.makeKey("cat", { algorithm: "cv25519", form: "binary" }),
  ];
  const held = stack.move();
  return {
    flags: [`--pgp-keys=${files.join(",")}`, `--root-token-pgp-key=${files[0]}`],
    decrypt: async (entry) => textOf(await people.decrypt(new Secret(entry))),
    [Symbol.dispose]: () => held.dispose(),
  };
}
