import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { STORE_PODS, sealBao } from "@svc/testing";
import { linesOf } from "../testdata/lines-of.ts";
import { type StoreStage, secret, storeStage } from "./testdata/store-stage.ts";

const TIMEOUT_MS = 60_000;

describe("the life of a store, a command after the other:", () => {
  let stage: StoreStage;
  beforeAll(async () => {
    stage = await storeStage();
  }, TIMEOUT_MS);
  afterAll(() => stage[Symbol.asyncDispose]());

  const seal = () => {
    const rootToken = stage.stored()["root-token"] ?? "";
    return sealBao({ address: stage.nodes[0].address, rootToken });
  };
  const shares = (...numbers: readonly number[]): string =>
    numbers.map((number) => `${stage.stored()[`unseal-key-${number}`]}\n`).join("");

  test("status of a store that is not initialised: 2", async () => {
    const { exitCode, out } = await stage.run("status");
    expect(exitCode).toBe(2);
    expect(out).toMatch(
      /^store-0 {2}uninitialised, inmem, [\d.]+\nsecret svc-vault-init: there is none\n$/,
    );
  });

  test("a dry run lists the steps of init, and changes nothing", async () => {
    expect(await stage.run("init", { flags: ["--dry-run"] })).toEqual({
      exitCode: 0,
      err: "",
      out: `  to create  initialise the store, and keep its keys
  to update  unseal store-0
  to create  KV version 2 engine at secret/
  to create  Kubernetes auth method at auth/kubernetes/
  to create  its token review by https://kubernetes.default.svc:443
  to create  policy svc
  to create  role svc
dry run: 7 things would be changed; nothing was
`,
    });
    expect(stage.server.get(secret)).toBeUndefined();
  });

  test("init without pods says so after its time", async () => {
    stage.putPod(0, "Pending");
    const { exitCode, out, err } = await stage.run("init");
    stage.putPod(0);
    expect([exitCode, out]).toEqual([
      125,
      "  failed     initialise the store, and keep its keys\n",
    ]);
    expect(err).toContain("store-0 is Pending");
  });

  test("init makes the keys, and stops at a refusal of the store", async () => {
    const environment = { BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: "", BOOTSTRAP_KUBERNETES_CA_CERT: "" };
    const { exitCode, out, err } = await stage.run("init", { environment });
    expect(exitCode).toBe(125);
    expect(out).toStartWith("  created    initialise the store, and keep its keys\n");
    expect(out).toEndWith("  failed     its token review by https://kubernetes.default.svc:443\n");
    expect(err).toContain("svc: hint: the store reads its own service account's files");
    expect(Object.keys(stage.stored())).toEqual([
      ...[1, 2, 3, 4, 5].map((number) => `unseal-key-${number}`),
      "root-token",
    ]);
    await seal();
  });

  test("status of a sealed store whose keys are kept: 2", async () => {
    const { exitCode, out } = await stage.run("status");
    expect(exitCode).toBe(2);
    expect(out).toMatch(/^store-0 {2}sealed, 0 shares given, inmem, /);
    expect(out).toMatch(/: 5 key shares, 3 needed; a root token; from 20[^,]+Z, of cluster /);
  });

  test("init goes on, and says where the keys are", async () => {
    const { exitCode, out, err } = await stage.run("init");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toBe(`  unchanged  initialise the store, and keep its keys
  updated    unseal store-0
  unchanged  note the cluster in the secret
  unchanged  KV version 2 engine at secret/
  unchanged  Kubernetes auth method at auth/kubernetes/
  created    its token review by https://kubernetes.default.svc:443
  created    policy svc
  created    role svc
  updated    note the set-up in the secret
done: the store is initialised, unsealed and set up; 5 things changed
keys: 5 key shares (3 unseal) and the root token are in secret "svc-vault-init" in namespace "1"
      an account that may read it controls the store: docs/guides/secretstore.md
`);
  });

  test("init a second time changes nothing, and programs read that", async () => {
    const { exitCode, out } = await stage.run("init", { flags: ["--output=json"] });
    expect(exitCode).toBe(0);
    const lines = linesOf(out);
    const ended = lines.filter(({ state }) => state === "ended");
    expect(new Set(ended.map(({ outcome }) => outcome))).toEqual(new Set(["unchanged"]));
    expect(lines.at(-1)).toEqual({
      ...{ type: "result", dryRun: false, changes: 0, shares: 5, threshold: 3, rootToken: true },
      ...{ secret: 'secret "svc-vault-init" in namespace "1"', encryption: {} },
    });
  });

  const terminals = [
    ["a terminal", "xterm", { columns: () => 80 }, true],
    ["a terminal that cannot go back in its line", "dumb", { columns: () => 80 }, false],
    ["a terminal of unknown kind", "", { columns: () => 80 }, false],
    ["a file", "xterm", undefined, false],
  ] as const;
  for (const [name, TERM, terminal, isDrawn] of terminals) {
    test(`the present step is drawn on ${name}: ${isDrawn}`, async () => {
      const { out } = await stage.run("init", { environment: { TERM }, changed: { terminal } });
      expect(out.includes("\r\u001B[K  working")).toBe(isDrawn);
    });
  }

  test("status of an open store: 0", async () => {
    expect((await stage.run("status")).exitCode).toBe(0);
    const [result] = linesOf((await stage.run("status", { flags: ["-o", "json"] })).out);
    expect(result).toMatchObject({
      ...{ type: "result", unsealed: true, nodes: [{ name: "store-0", state: "active" }] },
      secret: { phase: "initialised", shares: 5, threshold: 3, rootToken: true },
    });
  });

  describe("a holder gives", () => {
    const given = (stdin: string) => stage.run("unseal", { flags: ["--shares-stdin"], stdin });
    const missing = (found: string) =>
      `svc: error: unseal the store's pods: store-0: ${found}\nsvc: hint: the shares that were given count: the other holders run the same command\n`;

    test("no share", async () => {
      await seal();
      expect(await given("\n\n")).toEqual({
        exitCode: 125,
        out: "",
        err: missing("0 of 3 shares were given"),
      });
    });
    test("a text that is not a share, and that is neither sent nor shown", async () => {
      const { exitCode, err } = await given("my-password!\n");
      expect(exitCode).toBe(125);
      expect(err).toStartWith(
        "svc: error: read key share from standard input: it is neither base64 nor hexadecimal\n",
      );
      expect(err).not.toContain("my-password");
    });
    test("the same share twice, and one more", async () => {
      expect(await given(shares(1, 1, 2))).toEqual({
        exitCode: 125,
        out: "",
        err: `svc: warning: a key share was given that had been given before: it counts once\n${missing("2 of 3 shares were given")}`,
      });
    });
    test("the last share that is needed", async () => {
      expect(await given(shares(4))).toEqual({
        exitCode: 0,
        out: "  updated    unseal store-0\ndone: every pod is unsealed\n",
        err: "",
      });
    });
  });

  test("unseal uses the shares of the Secret", async () => {
    await seal();
    expect(await stage.run("unseal")).toEqual({
      exitCode: 0,
      out: "  updated    unseal store-0\ndone: every pod is unsealed\n",
      err: "",
    });
  });

  test("a pod that does not run is left, and named", async () => {
    stage.putPod(1, "Pending");
    expect(await stage.run("unseal")).toMatchObject({
      exitCode: 125,
      err: expect.stringContaining("unseal the store's pods: store-1 is Pending\n"),
    });
    const { exitCode, out } = await stage.run("status");
    expect(exitCode).toBe(2);
    expect(out).toContain("store-1  is Pending\n");
    stage.server.remove(`${STORE_PODS}/store-1`);
  });

  test("a dry run names the one thing that differs", async () => {
    const run = { flags: ["--dry-run"], environment: { BOOTSTRAP_ROLE_TTL: "2h" } };
    const { out } = await stage.run("init", run);
    expect(out).toContain("  to update  role svc (token_ttl)\n");
    expect(out).toEndWith("dry run: 1 thing would be changed; nothing was\n");
  });

  test("init changes the fields that differ, and takes the root token away", async () => {
    const { out, err } = await stage.run("init", {
      flags: ["--revoke-root"],
      environment: { BOOTSTRAP_ROLE_TTL: "2h" },
    });
    expect(out).toContain("  updated    role svc (token_ttl)\n");
    expect(out).toContain("  updated    revoke the root token\n");
    expect(out).toEndWith(
      'keys: 5 key shares (3 unseal) are in secret "svc-vault-init" in namespace "1"\n      an account that may read it controls the store: docs/guides/secretstore.md\n',
    );
    expect(err).toContain("svc: warning: BOOTSTRAP_REVOKE_ROOT: ");
    expect(stage.stored()["root-token"]).toBeUndefined();
  });

  const tokens: readonly (readonly [string, Parameters<StoreStage["run"]>[1], string])[] = [
    [
      "none, and other settings",
      { environment: { BOOTSTRAP_ROLE_TTL: "3h" } },
      'use secret "svc-vault-init" in namespace "1": it has no root token any more, and the store was last set up with other settings',
    ],
    [
      "an empty input",
      { flags: ["--token-stdin"], stdin: "\n" },
      "read token from standard input: it is empty",
    ],
    [
      "an input that cannot be a token",
      { flags: ["--token-stdin"], stdin: "s.wrong token\n" },
      "read token from standard input: it has characters that no token and no share has",
    ],
    [
      "a token that the store refuses",
      { flags: ["--token-stdin"], stdin: "s.wrong\n" },
      "use the token of standard input: the store refuses it",
    ],
  ];
  for (const [name, options, message] of tokens) {
    test(`init stops with ${name}`, async () => {
      const { exitCode, err } = await stage.run("init", options);
      expect(exitCode).toBe(125);
      expect(err).toContain(`svc: error: ${message}\n`);
      expect(err).not.toContain("s.wrong");
    });
  }

  test("reset refuses a store with keys", async () => {
    const { exitCode, err } = await stage.run("reset", { flags: ["--delete"] });
    expect(exitCode).toBe(125);
    expect(err).toContain(
      'reset the store of secret "svc-vault-init" in namespace "1": the Secret has keys\n',
    );
    expect(stage.server.get(`${STORE_PODS}/store-0`)).toBeDefined();
  });

  test("status with keys of another cluster: 3", async () => {
    const kept = stage.server.get(secret) ?? {};
    const text = JSON.stringify(kept).replaceAll(
      /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      "another-cluster",
    );
    stage.server.put(secret, JSON.parse(text));
    const { exitCode, out } = await stage.run("status");
    expect([exitCode, out]).toEqual([
      3,
      expect.stringContaining("its keys are of cluster another-cluster, and the store is cluster "),
    ]);
    stage.server.put(secret, kept);
  });
});
