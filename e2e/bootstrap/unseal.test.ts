import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { BootstrapError, initialiseStore, unsealNode } from "@svc/bootstrap";
import { type OpenBao, sealBao, startOpenBao } from "@svc/testing";
import { type Initialised, Secret, type VaultAdministration, VaultError } from "@svc/vault";
import { administer, formsOf, textOf, wrongShare } from "../harness/stores/opened-store.ts";

let bao: OpenBao;
let node: VaultAdministration;
let keys: Initialised;
/** All results and errors, as they could be printed. */
const shown: string[] = [];

beforeAll(async () => {
  bao = await startOpenBao({ storage: "inmem", initialise: false });
  node = administer(bao.address);
  keys = await initialiseStore(node, { shares: 5, threshold: 3 });
});
afterAll(() => bao.stop());

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.catch((error: unknown) => error);
  shown.push(inspect(outcome, { depth: 9, showHidden: true }), JSON.stringify(outcome));
  const typed = outcome instanceof VaultError || outcome instanceof BootstrapError;
  return typed ? outcome.code : JSON.stringify(outcome);
}

async function seal(): Promise<void> {
  if (!(await node.nodeState()).sealed) {
    await sealBao({ address: bao.address, rootToken: textOf(keys.rootToken) });
  }
}

describe("an initialisation", () => {
  test("gives as many shares as requested, and no hint to use fewer", async () => {
    expect(new Set(keys.shares.map(textOf)).size).toBe(5);
    expect(await node.nodeState()).toMatchObject({ sealed: true, shares: 5, threshold: 3 });
  });

  test("is refused the second time, by us and by the server", async () => {
    const wanted = { shares: 1, threshold: 1 };
    expect(await codeOf(initialiseStore(node, wanted))).toBe("ALREADY_INITIALIZED");
    expect(await codeOf(node.initialise(wanted))).toBe("ALREADY_INITIALIZED");
  });
});

describe("a sealed node", () => {
  const pick = (...numbers: readonly number[]) => numbers.flatMap((it) => keys.shares[it] ?? []);
  const updated = '{"step":"unseal","outcome":"updated"}';
  const rows: readonly (readonly [string, () => readonly Secret[], string])[] = [
    ["opens by its shares in any order", () => pick(4, 0, 2), updated],
    ["opens by the first ones if there are more", () => pick(3, 2, 1, 0, 4), updated],
    ["counts a share once that is given twice", () => pick(1, 1, 0, 1, 3), updated],
    ["takes a share in hexadecimal", () => [...pick(0, 1), hexOf(pick(2)[0])], updated],
    ["stays sealed with too few", () => pick(0, 1), "SHARES_INSUFFICIENT"],
    ["stays sealed with the same one thrice", () => pick(0, 0, 0), "SHARES_INSUFFICIENT"],
    ["stays sealed without any", () => [], "SHARES_INSUFFICIENT"],
    [
      "refuses a share of another store",
      () => [...pick(0, 1), wrongShare(keys.shares)],
      "SHARE_REFUSED",
    ],
    ["refuses a text that is not a share", () => [new Secret("no-share!")], "SHARE_REFUSED"],
  ];
  for (const [name, shares, outcome] of rows) {
    test(name, async () => {
      await seal();
      expect(await codeOf(unsealNode(node, shares()))).toBe(outcome);
      const { sealed, progress } = await node.nodeState();
      expect([sealed, progress]).toEqual([outcome !== updated, 0]);
    });
  }

  test("opens although it received a wrong share before", async () => {
    await seal();
    await node.unseal(wrongShare(keys.shares));
    expect(await codeOf(unsealNode(node, pick(0, 1, 2)))).toBe(updated);
  });

  test("opens though another run takes our shares away in between", async () => {
    for (const after of [1, 2]) {
      await seal();
      let given = 0;
      const disturbed: VaultAdministration = {
        ...node,
        unseal: async (share) => {
          const state = await node.unseal(share);
          given += 1;
          if (given === after) await node.resetUnseal();
          return state;
        },
      };
      expect(await codeOf(unsealNode(disturbed, pick(0, 1, 2), 1000))).toBe(updated);
    }
  });

  test("is left alone once it is open", async () => {
    await seal();
    await unsealNode(node, keys.shares);
    const unchanged = '{"step":"unseal","outcome":"unchanged"}';
    expect(await codeOf(unsealNode(node, []))).toBe(unchanged);
  });
});

test("nothing that came out shows a share or the root token", () => {
  expect(shown.length).toBeGreaterThan(10);
  const all = shown.join("\n");
  expect(formsOf(keys).filter((form) => all.includes(form))).toEqual([]);
});

function hexOf(share: Secret | undefined): Secret {
  if (share === undefined) throw new RangeError("no such share");
  return new Secret(Buffer.from(textOf(share), "base64").toString("hex"));
}
