import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  type EncryptionSettings,
  initialiseStore,
  obtainKeys,
  prepareEncryption,
  type SecretClient,
  type SecretContent,
  storeStanding,
  unsealNode,
} from "@svc/bootstrap";
import { askKubernetes, type Kubernetes, startKubernetes, startOpenBao } from "@svc/testing";
import type { Initialised, Secret, VaultAdministration } from "@svc/vault";
import { makeAccount, NAMESPACE, OUTPUT, secretClient } from "../harness/kubernetes/key-keeper.ts";
import { ageIdentity } from "../harness/stores/age-identity.ts";
import { gnupg } from "../harness/stores/gnupg.ts";
import { administer, formsOf } from "../harness/stores/opened-store.ts";
import { somePod } from "./stand-in-store.ts";

const TIMEOUT_MS = 240_000;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const shamir = { shares: 2, threshold: 2 };
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let store: VaultAdministration;
let secret: SecretClient;
/** The sizes of the Secrets that were tried and then written. */
let sizes: number[];

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  await makeAccount(kube, "svc-init");
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

beforeEach(async () => {
  await askKubernetes(kube, { method: "DELETE", path: `${SECRETS}/${OUTPUT}` });
  const bao = started.use(await startOpenBao({ storage: "inmem", initialise: false }));
  store = administer(bao.address);
  sizes = [];
  const real = await secretClient({ kind: "kubeconfig", paths: [kube.kubeconfig] });
  secret = {
    ...real,
    rehearse: (content, ...rest) => real.rehearse(noted(content), ...rest),
    replace: (content, revision) => real.replace(noted(content), revision),
  };
});

function noted(content: SecretContent): SecretContent {
  const values = [...content.data.values()];
  if (values.length > 0) sizes.push(values.reduce((sum, { length }) => sum + length, 0));
  return content;
}

async function obtain(settings: EncryptionSettings, holder: string) {
  return obtainKeys({
    ...{ secret, shamir, holder, encryption: await prepareEncryption(settings) },
    standing: async () => storeStanding([await store.nodeState()]),
    pod: somePod,
    initialise: (wanted) => initialiseStore(store, wanted),
  });
}

/** The holders of the keys, and their ways to use them. */
interface Holders {
  readonly settings: EncryptionSettings;
  readonly decryptShare: (share: Secret, index: number) => Promise<Secret>;
  readonly decryptToken: (token: Secret) => Promise<Secret>;
}

async function holdersOfPgp(): Promise<Holders> {
  const { makeKey, decrypt } = started.use(gnupg());
  const keyPaths = [
    await makeKey("ann", { algorithm: "rsa4096" }),
    await makeKey("ben", { algorithm: "cv25519" }),
  ] as const;
  const rootToken = { cipher: "pgp", keyPath: keyPaths[0] } as const;
  const settings = { shares: { cipher: "pgp", keyPaths }, rootToken } as const;
  return { settings, decryptShare: decrypt, decryptToken: decrypt };
}

async function holdersOfAge(): Promise<Holders> {
  const ann = started.use(await ageIdentity());
  const ben = started.use(await ageIdentity());
  const shares = { cipher: "age", recipients: [ann.recipient, ben.recipient] } as const;
  const rootToken = { cipher: "age", recipient: ann.recipient } as const;
  return {
    settings: { shares, rootToken },
    decryptShare: (share, index) => (index === 0 ? ann : ben).decrypt(share),
    decryptToken: (token) => ann.decrypt(token),
  };
}

describe("of keys that are encrypted", () => {
  // The two ways leave this process with different keys after the initialisation.
  const ways = [
    { cipher: "pgp", makeHolders: holdersOfPgp, inHand: false },
    { cipher: "age", makeHolders: holdersOfAge, inHand: true },
  ] as const;
  for (const { cipher, makeHolders, inHand } of ways) {
    test(`with ${cipher} nothing plain is in the Secret, and their holders open the store`, async () => {
      const { settings, decryptShare, decryptToken } = await makeHolders();
      const created = await obtain(settings, "run-1");
      expect(created.outcome).toBe("created");
      expect([created.plain.shares, created.plain.rootToken].map(Boolean)).toEqual([
        inHand,
        inHand,
      ]);

      const found = await obtain(settings, "run-2");
      expect(found.stored.encryption).toEqual({ shares: cipher, rootToken: cipher });
      expect(found.plain).toEqual({ shares: undefined, rootToken: undefined });

      const keys = await decryptedBy({ decryptShare, decryptToken }, found.stored);
      expect(await plainForms(keys)).toEqual([]);
      const [rehearsed = 0, written = 0] = sizes;
      expect(rehearsed).toBeGreaterThanOrEqual(written);

      await unsealNode(store, created.plain.shares ?? keys.shares);
      await unsealNode(store, keys.shares);
      expect(await store.read(keys.rootToken, "auth/token/lookup-self")).toBeDefined();
    });
  }
});

async function decryptedBy(
  { decryptShare, decryptToken }: Omit<Holders, "settings">,
  {
    shares,
    rootToken,
  }: { readonly shares: readonly Secret[]; readonly rootToken?: Secret | undefined },
): Promise<Initialised> {
  if (rootToken === undefined) throw new TypeError("there is no root token");
  return {
    shares: await Promise.all(shares.map(decryptShare)),
    rootToken: await decryptToken(rootToken),
  };
}

/** The forms of keys that are in the Secret as the API server has it, base64 of base64 included. */
async function plainForms(keys: Initialised): Promise<readonly string[]> {
  const path = `${SECRETS}/${OUTPUT}`;
  const { body } = await askKubernetes(kube, { method: "GET", path });
  const data = Object.values(Object(body?.["data"])).map(String);
  expect(data.length).toBe(3);
  const decoded = data.map(atob);
  const all = [JSON.stringify(body), ...decoded, ...decoded.map(atob)].join("\n");
  return everyForm(keys).filter((form) => all.includes(form));
}

/** PGP holders get a share in hexadecimal, age holders in base64. */
function everyForm(keys: Initialised): readonly string[] {
  const forms = formsOf(keys);
  const asHex = forms.filter((form) => /^[0-9a-f]{64,}$/.test(form));
  return [...forms, ...asHex.map((form) => Buffer.from(form, "hex").toString("base64"))];
}
