import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { applyObject, askKubernetes, callKubernetes } from "@svc/testing";
import { Secret } from "@svc/vault";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { textOf, wrongShare } from "../harness/stores/opened-store.ts";
import { type Cluster, OUTPUT, outputPath, startCluster } from "./cluster.ts";
import {
  type CommandedRelease,
  commandedRelease,
  forgetShares,
  progressOf,
  sealAll,
} from "./release-commands.ts";
import { writePod } from "./store-pods.ts";
import type { StoreRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const UNSEALED = [undefined, undefined, undefined];
const stdin = ["unseal", "--shares-stdin"];
const started = new AsyncDisposableStack();
let cluster: Cluster;
let store: CommandedRelease;
let shares: readonly string[];
let rootToken: string;

beforeAll(async () => {
  cluster = started.use(await startCluster());
  store = await commandedRelease(cluster, { size: 3 });
  started.use(store.release);
  expect((await store.svc(["init"])).exitCode).toBe(0);
  const { "root-token": token = "", ...others } = await store.keys();
  rootToken = token;
  shares = Object.values(others);
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

const share = (number: number): string => shares[number - 1] ?? "";
const lines = (...numbers: readonly number[]): string => numbers.map(share).join("\n");
const stepsIn = (stdout: string) => stdout.split("\n").filter((line) => line.startsWith("  "));
const everyPod = (outcome: string) =>
  [0, 1, 2].map((index) => `  ${outcome} unseal store-${index}`);

describe("a store whose pods were restarted", () => {
  beforeAll(() => sealAll(store.release, rootToken));

  test("is sealed in the eyes of status, for people and for programs", async () => {
    const { exitCode, stdout } = await store.svc(["status"]);
    expect(exitCode).toBe(2);
    const pods = stdout.split("\n").filter((line) => line.startsWith("store-"));
    expect(pods).toEqual(
      [0, 1, 2].map((index) => `store-${index}  sealed, 0 shares given, raft, 2.7.2`),
    );
    expect(stdout).toMatch(/^secret svc-vault-init: 5 key shares, 3 needed; a root token; from /m);
    const json = await store.svc(["status", "-o", "json"]);
    expect(json.exitCode).toBe(2);
    expect(resultOf(json.stdout)).toMatchObject({
      ...{ unsealed: false, nodes: Array(3).fill({ state: "sealed", progress: 0 }) },
      secret: { name: OUTPUT, phase: "initialised", shares: 5, threshold: 3, rootToken: true },
    });
  });

  test("is opened from the Secret by one command", async () => {
    const { exitCode, stdout } = await store.svc(["unseal"]);
    expect([exitCode, stepsIn(stdout)]).toEqual([0, everyPod("updated   ")]);
    expect(await progressOf(store.release)).toEqual(UNSEALED);
  });

  test("is left as it is by the second one, and status says that it is open", async () => {
    const { exitCode, stdout } = await store.svc(["unseal"]);
    expect([exitCode, stepsIn(stdout)]).toEqual([0, everyPod("unchanged ")]);
    const status = await store.svc(["status"]);
    expect([status.exitCode, status.stdout]).toEqual([0, expect.not.stringContaining("sealed")]);
    const json = await store.svc(["status", "-o", "json"]);
    expect([json.exitCode, resultOf(json.stdout)]).toMatchObject([0, { unsealed: true }]);
  });
});

describe("shares that are piped in", () => {
  beforeEach(() => sealAll(store.release, rootToken));

  const forms: Readonly<Record<string, () => string>> = {
    "one a line": () => `${lines(1, 2, 3)}\n`,
    "without a newline at the end": () => lines(3, 4, 5),
    "with the line ends of Windows and empty lines": () =>
      `\r\n\r\n${[5, 3, 1].map(share).join("\r\n\r\n  \r\n")}\r\n\r\n`,
    "with white space around them": () => `  ${share(2)}\t\n ${share(4)} \n\t${share(1)}`,
    "more than are needed": () => lines(1, 2, 3, 4, 5),
    "in hexadecimal": () =>
      [1, 2, 3].map((number) => Buffer.from(share(number), "base64").toString("hex")).join("\n"),
    "one of them twice": () => lines(1, 1, 2, 2, 3),
  };
  for (const [name, input] of Object.entries(forms)) {
    test(`open every pod: ${name}`, async () => {
      const { exitCode, stdout, stderr } = await store.svc(stdin, input());
      expect([exitCode, stepsIn(stdout)], stderr).toEqual([0, everyPod("updated   ")]);
      expect(await progressOf(store.release)).toEqual(UNSEALED);
      expect(stderr.includes("had been given before")).toBe(name === "one of them twice");
    });
  }

  test("of two holders count together, one run after the other", async () => {
    const first = await store.svc(stdin, lines(1, 2));
    expect([first.exitCode, first.stderr]).toEqual([
      125,
      expect.stringContaining("store-0, store-1, store-2: 2 of 3 shares were given"),
    ]);
    expect((await store.svc(["status"])).stdout).toContain("store-2  sealed, 2 shares given");
    const second = await store.svc(stdin, lines(5));
    expect([second.exitCode, stepsIn(second.stdout)]).toEqual([0, everyPod("updated   ")]);
  });

  test("count once if the second run gives the same one, which it says", async () => {
    await store.svc(stdin, lines(1));
    const { exitCode, stderr } = await store.svc(stdin, lines(1));
    expect(exitCode).toBe(125);
    expect(stderr).toContain("warning: a key share was given that had been given before");
    expect(stderr).toContain("1 of 3 shares were given");
  });

  test("without a source are missing", async () => {
    for (const input of ["", "\n\n \r\n"]) {
      const { exitCode, stdout } = await store.svc([...stdin, "-o", "json"], input);
      expect([exitCode, lastOf(stdout)]).toMatchObject([125, { code: "SHARES_MISSING" }]);
    }
    expect(await progressOf(store.release)).toEqual([0, 0, 0]);
  });

  test("are all forgotten if one of them is wrong, also by pods that were behind", async () => {
    const wrong = textOf(wrongShare(shares.map((text) => new Secret(text))));
    const [behind] = store.release.nodes;
    await store.svc(stdin, lines(1, 2));
    if (behind !== undefined) await forgetShares(behind);
    const { exitCode, stdout } = await store.svc([...stdin, "-o", "json"], wrong);
    expect([exitCode, lastOf(stdout)]).toMatchObject([125, { code: "SHARE_REFUSED" }]);
    expect(await progressOf(store.release)).toEqual([0, 0, 0]);
    expect(store.said()).not.toContain(wrong);
  });

  const unusable: Readonly<Record<string, readonly [string | Uint8Array<ArrayBuffer>, string]>> = {
    "that is a word": ["hunter2-is-my-password\n", "neither base64 nor hexadecimal"],
    "that is a sentence": ["this is not a share\n", "characters"],
    "of 20,000 bytes": [`${"ab".repeat(10_000)}\n`, "more than 16384 bytes"],
    "of 20,000 bytes without an end": ["ab".repeat(10_000), "more than 16384 bytes"],
    "of binary data": [Uint8Array.from({ length: 64 }, (_, byte) => byte * 3 + 128), "characters"],
    "that is still encrypted": [`${Buffer.alloc(240, 7).toString("base64")}\n`, "decrypted first"],
  };
  for (const [name, [input, found]] of Object.entries(unusable)) {
    test(`are not looked for in a line ${name}, which is invisible`, async () => {
      const { exitCode, stdout, stderr } = await store.svc([...stdin, "-o", "json"], input);
      expect([exitCode, stderr]).toEqual([125, ""]);
      const { code, message } = lastOf(stdout);
      expect([code, message]).toEqual(["INPUT_UNUSABLE", expect.stringContaining(found)]);
      const shown = typeof input === "string" ? input.slice(0, 12) : "\u0083";
      expect(stdout).not.toContain(shown);
      expect(await progressOf(store.release)).toEqual([0, 0, 0]);
    });
  }

  test("after an invalid line count, but not that line", async () => {
    expect((await store.svc(stdin, `${share(1)}\nhunter2\n`)).exitCode).toBe(125);
    expect(await progressOf(store.release)).toEqual([1, 1, 1]);
  });
});

describe("without usable keys in the Secret", () => {
  const type = "svc.internal/store-keys";
  const reserved = {
    "svc.internal/phase": "reserved",
    "svc.internal/holder": "somebody-1",
    "svc.internal/reserved-at": "2026-01-01T00:00:00.000Z",
  };
  const rows: Readonly<Record<string, readonly [object | undefined, string, string]>> = {
    "there is none": [undefined, "OUTPUT_MISSING", "there is no such Secret"],
    "it is empty": [{ type }, "OUTPUT_MISSING", "it is empty"],
    "a run has reserved it": [
      { type, metadata: { annotations: reserved } },
      "OUTPUT_RESERVED",
      '"somebody-1" has reserved it',
    ],
    "it belongs to another user": [
      { type: "Opaque", stringData: { password: "hunter2" } },
      "OUTPUT_FOREIGN",
      'its type is "Opaque"',
    ],
  };
  for (const [name, [secret, code, found]] of Object.entries(rows)) {
    test(`it says so: ${name}`, async () => {
      const output = `other-${code.toLowerCase().replaceAll("_", "-")}-${Object.keys(rows).indexOf(name)}`;
      if (secret !== undefined) await writeSecretObject(output, secret);
      const words = ["unseal", `--output-secret=${output}`, "-o", "json"];
      const { exitCode, stdout } = await store.svc(words);
      expect([exitCode, lastOf(stdout)]).toMatchObject([125, { type: "error", code }]);
      expect(String(lastOf(stdout)["message"])).toContain(found);
      expect(stdout).not.toContain("hunter2");
      await askKubernetes(cluster.kube, {
        method: "DELETE",
        path: outputPath(store.release).replace(OUTPUT, output),
      });
    });
  }
});

describe("with the keys of another store", () => {
  test("nothing is given to the pods: it is empty, or its key is split otherwise", async () => {
    const other = await commandedRelease(cluster, { storage: "inmem" });
    started.use(other.release);
    await copySecret(store.release, other.release);
    const codeOf = async () => lastOf((await other.svc(["unseal", "-o", "json"])).stdout)["code"];
    expect(await codeOf()).toBe("STORE_EMPTY");
    const words = ["--shamir-shares=1", "--shamir-threshold=1", "--output-secret=own"];
    expect((await other.svc(["init", ...words])).exitCode).toBe(0);
    expect(await codeOf()).toBe("OUTPUT_OF_ANOTHER_STORE");
    expect((await other.svc(["unseal", "--output-secret=own"])).exitCode).toBe(0);
  });
});

describe("with pods that are not there", () => {
  beforeAll(async () => {
    await store.svc(["unseal"]);
  });

  test("a release that has none is not called unsealed", async () => {
    for (const words of [["unseal"], stdin]) {
      const named = [...words, "--release-name=nothing", "--wait=0s", "-o", "json"];
      const { exitCode, stdout } = await store.svc(named);
      expect([exitCode, lastOf(stdout)]).toMatchObject([125, { code: "PODS_NOT_READY" }]);
    }
  });

  test("one that does not run yet is named as left", async () => {
    await writePod(cluster.kube, store.release, { index: 3, phase: "Pending" });
    for (const words of [["unseal"], stdin]) {
      const { exitCode, stdout } = await store.svc([...words, "--wait=0s", "-o", "json"]);
      expect([exitCode, lastOf(stdout)]).toMatchObject([125, { code: "PODS_LEFT" }]);
      expect(String(lastOf(stdout)["message"])).toContain("store-3 is Pending");
    }
  });
});

test("nothing that was said shows a share or the root token", () => {
  const forms = [rootToken, ...shares].flatMap((key) => [
    ...[key, Buffer.from(key, "base64").toString("hex"), Buffer.from(key).toString("base64")],
  ]);
  expect(forms.filter((form) => store.said().includes(form))).toEqual([]);
});

type Told = Readonly<Record<string, unknown>>;

function lastOf(stdout: string): Told {
  const told: Told = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  return told;
}

function resultOf(stdout: string): Told {
  expect(lastOf(stdout)["type"]).toBe("result");
  return lastOf(stdout);
}

/** With its type and annotations, as a backup has them. */
async function copySecret(from: StoreRelease, to: StoreRelease): Promise<void> {
  const path = outputPath(from);
  const { type, data, metadata } =
    (await callKubernetes(cluster.kube, { method: "GET", path })) ?? {};
  const { annotations, labels } = Object(metadata);
  const place = { namespace: to.namespace, name: OUTPUT, annotations, labels };
  const secret = { apiVersion: "v1", kind: "Secret", type, data, metadata: place };
  await applyObject(cluster.kube, secret);
}

async function writeSecretObject(name: string, fields: object): Promise<void> {
  const { namespace } = store.release;
  const given = "metadata" in fields ? Object(fields.metadata) : {};
  const metadata = { ...given, namespace, name };
  await applyObject(cluster.kube, { apiVersion: "v1", kind: "Secret", ...fields, metadata });
}
