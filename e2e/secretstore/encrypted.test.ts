import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { holdersOfAge, holdersOfPgp, type KeyHolders } from "./key-holders.ts";
import {
  type CommandedRelease,
  commandedRelease,
  progressOf,
  sealAll,
} from "./release-commands.ts";
import type { ReleaseOptions } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const split = ["--shamir-shares=3", "--shamir-threshold=2"];
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

interface Story {
  readonly store: CommandedRelease;
  readonly holders: KeyHolders;
  readonly init: readonly string[];
  /** The shares that the holders of these numbers, from 0, would pipe in. */
  readonly sharesOf: (...numbers: readonly number[]) => Promise<string>;
  readonly rootToken: () => Promise<string>;
}

async function startStory(
  makeHolders: () => Promise<KeyHolders>,
  options: ReleaseOptions,
): Promise<Story> {
  const holders = started.use(await makeHolders());
  const store = await commandedRelease(cluster, options);
  started.use(store.release);
  const entry = async (name: string) => (await store.keys())[name] ?? "";
  return {
    ...{ store, holders, init: ["init", ...split, ...holders.flags] },
    sharesOf: async (...numbers) => {
      const shares = numbers.map(async (number) =>
        holders.decrypt(await entry(`unseal-key-${number + 1}`), number),
      );
      return (await Promise.all(shares)).join("\n");
    },
    rootToken: async () => holders.decrypt(await entry("root-token"), 0),
  };
}

const sizes: Readonly<Record<string, ReleaseOptions>> = {
  "of one node": { storage: "inmem" },
  "of three Raft nodes": { size: 3 },
};

for (const [name, options] of Object.entries(sizes)) {
  describe(`shares of a store ${name} that are encrypted with age`, () => {
    const unsealed = Array.from({ length: options.size ?? 1 }, () => undefined);
    let story: Story;
    beforeAll(async () => {
      story = await startStory(holdersOfAge, options);
    }, TIMEOUT_MS);

    test("let the first run go through to its end", async () => {
      const { exitCode, stdout, stderr } = await story.store.svc(story.init);
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toContain("3 key shares (2 unseal, encrypted with age)");
      expect(stdout).toContain("the root token (encrypted with age)");
      expect(stdout).not.toContain("controls the store");
      expect(await progressOf(story.store.release)).toEqual(unsealed);
      const status = await story.store.svc(["status"]);
      expect(status.stdout).toContain("3 key shares (age), 2 needed; a root token (age)");
    });

    test("make the same run with the same settings change nothing", async () => {
      const { exitCode, stdout } = await story.store.svc(story.init);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining("nothing changed")]);
      expect(stdout).toContain("skipped    policy svc");
    });

    test("are of no use to unseal and init once the pods are sealed, and both say so", async () => {
      await sealAll(story.store.release, await story.rootToken());
      for (const words of [["unseal"], story.init, [...story.init, "--dry-run"]]) {
        const { exitCode, stderr } = await story.store.svc(words);
        expect([exitCode, stderr]).toEqual([125, expect.stringContaining("encrypted with age")]);
        expect(stderr).toContain("each holder decrypts a share");
      }
    });

    test("open every pod once two holders have decrypted theirs", async () => {
      const shares = await story.sharesOf(2, 0);
      const { exitCode, stderr } = await story.store.svc(["unseal", "--shares-stdin"], shares);
      expect(exitCode, stderr).toBe(0);
      expect(await progressOf(story.store.release)).toEqual(unsealed);
      expect((await story.store.svc(story.init)).exitCode).toBe(0);
    });

    test("go with a root token that other settings need in plain", async () => {
      const words = [...story.init, "--role-ttl=2h"];
      const { exitCode, stderr } = await story.store.svc(words);
      expect([exitCode, stderr]).toEqual([125, expect.stringContaining("--token-stdin")]);
      const given = await story.store.svc([...words, "--token-stdin"], await story.rootToken());
      expect([given.exitCode, given.stdout]).toEqual([
        0,
        expect.stringContaining("updated    role svc (token_ttl)"),
      ]);
      expect((await story.store.svc(words)).stdout).toContain("nothing changed");
    });

    test("are nowhere in plain", () => expectNothingPlain(story));
  });

  describe(`shares of a store ${name} that are encrypted with PGP`, () => {
    const unsealed = Array.from({ length: options.size ?? 1 }, () => undefined);
    let story: Story;
    beforeAll(async () => {
      story = await startStory(holdersOfPgp, options);
    }, TIMEOUT_MS);

    test("stop the first run once they are stored", async () => {
      const { exitCode, stdout, stderr } = await story.store.svc(story.init);
      expect([exitCode, stdout]).toEqual([
        125,
        expect.stringContaining("created    initialise the store, and keep its keys"),
      ]);
      expect(stderr).toContain("encrypted with pgp, and 2 are needed");
      expect(Object.keys(await story.store.keys())).toHaveLength(4);
      const status = await story.store.svc(["status"]);
      expect(status.exitCode).toBe(2);
      expect(status.stdout).toContain("3 key shares (pgp), 2 needed; a root token (pgp)");
    });

    test("open every pod once two holders have decrypted theirs; pods with new disks join", async () => {
      const shares = await story.sharesOf(0, 1);
      const { exitCode, stdout, stderr } = await story.store.svc(
        ["unseal", "--shares-stdin"],
        shares,
      );
      expect(exitCode, stderr).toBe(0);
      expect(stdout.match(/created {4}join the cluster/g) ?? []).toHaveLength(unsealed.length - 1);
      expect(await progressOf(story.store.release)).toEqual(unsealed);
    });

    test("go with a root token that the set-up needs in plain", async () => {
      const { exitCode, stderr } = await story.store.svc(story.init);
      expect([exitCode, stderr]).toEqual([
        125,
        expect.stringContaining("its root token is encrypted with pgp"),
      ]);
      expect(stderr).toContain("--token-stdin");
      const token = await story.rootToken();
      const given = await story.store.svc([...story.init, "--token-stdin"], token);
      expect(given.exitCode, given.stderr).toBe(0);
      expect(given.stdout).toContain("created    role svc");
      const again = await story.store.svc(story.init);
      expect([again.exitCode, again.stdout]).toEqual([
        0,
        expect.stringContaining("nothing changed"),
      ]);
    });

    test("are nowhere in plain", () => expectNothingPlain(story));
  });
}

test("holders of a Raft store who do not sit together open it one after the other", async () => {
  const story = await startStory(holdersOfPgp, { size: 3 });
  expect((await story.store.svc(story.init)).exitCode).toBe(125);
  const give = async (holder: number) =>
    story.store.svc(["unseal", "--shares-stdin"], await story.sharesOf(holder));
  expect((await give(0)).stderr).toContain("store-0: 1 of 2 shares were given");
  // The first pod opens, and the others join it with this share alone.
  expect((await give(1)).stderr).toContain("store-1, store-2: 1 of 2 shares were given");
  const { exitCode, stderr } = await give(0);
  expect(exitCode, stderr).toBe(0);
  expect(await progressOf(story.store.release)).toEqual([undefined, undefined, undefined]);
});

/** Searches the Secret and all output for the values that the holders have decrypted. */
async function expectNothingPlain({ store, sharesOf, rootToken }: Story): Promise<void> {
  const shares = (await sharesOf(0, 1, 2)).split("\n");
  const plain = [await rootToken(), ...shares];
  const coded = shares.flatMap((text) => [
    Buffer.from(text, "hex").toString("base64"),
    Buffer.from(text, "base64").toString("hex"),
  ]);
  // A share may have two codings. The wrong one decodes to next to nothing.
  const forms = [...plain, ...coded, ...plain.map(btoa)].filter(({ length }) => length >= 20);
  expect(forms.length).toBeGreaterThanOrEqual(11);
  const entries = Object.values(await store.keys());
  const everywhere = [store.said(), ...entries, ...entries.map(atob)].join("\n");
  expect(forms.filter((form) => everywhere.includes(form))).toEqual([]);
}
