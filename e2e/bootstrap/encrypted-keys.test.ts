import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { initialiseStore, type KeyEncryption, prepareEncryption, unsealNode } from "@svc/bootstrap";
import { type OpenBao, startOpenBao } from "@svc/testing";
import type { InitialisationRequest, Initialised, VaultAdministration } from "@svc/vault";
import { type AgeIdentity, ageIdentity } from "../harness/stores/age-identity.ts";
import { type Gnupg, gnupg } from "../harness/stores/gnupg.ts";
import { administer, textOf } from "../harness/stores/opened-store.ts";

const started = new DisposableStack();
let people: Gnupg;
let bao: OpenBao;
let node: VaultAdministration;
beforeAll(() => {
  people = started.use(gnupg());
});
afterAll(() => started.dispose());
beforeEach(async () => {
  bao = await startOpenBao({ storage: "inmem", initialise: false });
  node = administer(bao.address);
});
afterEach(() => bao.stop());

const shamir = { shares: 3, threshold: 2 };

/** The keys that the Secret holds after an initialisation. */
async function keysOf(encryption: KeyEncryption): Promise<Initialised> {
  const keys = await initialiseStore(node, { ...shamir, ...encryption.pgp });
  return encryption.encrypt(keys);
}

async function opensFor(keys: Pick<Initialised, "shares" | "rootToken">): Promise<boolean> {
  await unsealNode(node, keys.shares);
  const self = await node.read(keys.rootToken, "auth/token/lookup-self");
  return self !== undefined && !(await node.nodeState()).sealed;
}

test("shares that the store encrypts to PGP keys of every form unseal it once their holders have decrypted them", async () => {
  const keyPaths = [
    await people.makeKey("ann", { algorithm: "rsa4096", form: "armored" }),
    await people.makeKey("ben", { algorithm: "cv25519", form: "binary" }),
    await people.makeKey("cat", { algorithm: "cv25519", form: "base64" }),
  ] as const;
  const rootToken = { cipher: "pgp", keyPath: keyPaths[1] } as const;
  const kept = await keysOf(
    await prepareEncryption({ shares: { cipher: "pgp", keyPaths }, rootToken }),
  );
  const { decrypt } = people;
  const shares = await Promise.all(kept.shares.slice(0, 2).map(decrypt));
  expect(await opensFor({ shares, rootToken: await decrypt(kept.rootToken) })).toBe(true);
});

test("shares encrypted to age recipients unseal the store once their holders have decrypted them, and only then", async () => {
  const holders: readonly AgeIdentity[] = [
    started.use(await ageIdentity()),
    started.use(await ageIdentity()),
    started.use(await ageIdentity()),
  ];
  const [ann, ben] = holders;
  if (ann === undefined || ben === undefined) throw new TypeError("nobody is there");
  const recipients = holders.map(({ recipient }) => recipient);
  const rootToken = { cipher: "age", recipient: ann.recipient } as const;
  const kept = await keysOf(
    await prepareEncryption({ shares: { cipher: "age", recipients }, rootToken }),
  );
  const own = await Promise.all(
    holders.slice(1).map(({ decrypt }, at) => {
      const share = kept.shares[at + 1];
      return share === undefined ? Promise.reject(new RangeError()) : decrypt(share);
    }),
  );
  expect(await opensFor({ shares: own, rootToken: await ann.decrypt(kept.rootToken) })).toBe(true);
  expect(ben.decrypt(kept.rootToken)).rejects.toThrow("no identity matched");
  expect(kept.shares.map(textOf).filter((it) => own.map(textOf).includes(it))).toEqual([]);
});

describe("a PGP key that can only sign", () => {
  let signer = "";
  beforeAll(async () => {
    signer = await people.makeKey("dan", { algorithm: "cv25519", signsOnly: true });
  });
  const loaded = async () => {
    const shares = { cipher: "pgp", keyPaths: [signer] } as const;
    return (await prepareEncryption({ shares, rootToken: { cipher: "none" } })).pgp.pgpKeys ?? [];
  };
  const codeOf = (wanted: InitialisationRequest) =>
    initialiseStore(node, wanted).then(
      () => "an initialisation",
      (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
    );

  test("is refused as a share's before the store is initialised", async () => {
    const pgpKeys = await loaded();
    expect(await codeOf({ shares: 1, threshold: 1, pgpKeys })).toBe("BAD_REQUEST");
    expect(await node.nodeState()).toMatchObject({ initialized: false });
  });

  // Why a root token's key has to be one of the shares'.
  test("is refused as the root token's after the store was initialised, and its keys are lost", async () => {
    const [rootTokenPgpKey] = await loaded();
    expect(await codeOf({ shares: 1, threshold: 1, rootTokenPgpKey })).toBe("INIT_ANSWER_LOST");
    expect(await node.nodeState()).toMatchObject({ initialized: true });
  });
});
