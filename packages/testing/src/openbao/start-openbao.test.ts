import { describe, expect, test } from "bun:test";
import { cacheFolder } from "../cache-folder.ts";
import { certificateAuthority } from "../certificates/certificate-authority.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { callBao } from "./bao-api.ts";
import { fetchOpenBao } from "./fetch-openbao.ts";
import { sealBao, unsealBao } from "./initialise-openbao.ts";
import type { OpenBaoOptions } from "./openbao-options.ts";
import { openBaoBinary } from "./openbao-release.ts";
import { makeToken, mountKv2, writePolicy, writeSecret } from "./openbao-setup.ts";
import { startOpenBao } from "./start-openbao.ts";

const SERVERS: Readonly<Record<string, () => Promise<OpenBaoOptions>>> = {
  dev: async () => ({ storage: "dev" }),
  inmem: async () => ({ storage: "inmem" }),
  raft: async () => ({ storage: "raft" }),
  "inmem over TLS": async () => {
    const authority = await certificateAuthority();
    const tls = { ...(await authority.issue()), caPem: authority.certificatePem };
    return { storage: "inmem", tls };
  },
};

describe("startOpenBao", () => {
  for (const [name, options] of Object.entries(SERVERS)) {
    test(`${name}: gives a server to read from, which can be sealed and unsealed`, async () => {
      await using bao = await startOpenBao(await options());
      await mountKv2(bao, "kv");
      await writePolicy(bao, "reader", [{ path: "kv/data/*", capabilities: ["read"] }]);
      await writeSecret(bao, "kv/data/a", { k: "v" });
      const rootToken = await makeToken(bao, { policies: ["reader"], ttl: "1m" });
      const read = { method: "GET", path: "kv/data/a" } as const;
      expect(await callBao({ ...bao, rootToken }, read)).toMatchObject({
        data: { data: { k: "v" } },
      });
      await sealBao(bao);
      expect(callBao(bao, read)).rejects.toMatchObject({ code: "BAD_ANSWER" });
      await unsealBao(bao, bao.unsealKey);
      expect(await callBao(bao, read)).toMatchObject({ data: { data: { k: "v" } } });
    });
  }

  test("leaves a server uninitialised on request", async () => {
    await using bao = await startOpenBao({ storage: "inmem", initialise: false });
    const status = await callBao(bao, { method: "GET", path: "sys/init" });
    expect({ status, token: bao.rootToken, key: bao.unsealKey }).toEqual({
      status: { initialized: false },
      token: "",
      key: "",
    });
  });

  test("takes more strings in one request on request", async () => {
    await using bao = await startOpenBao({ storage: "inmem", maxJsonStrings: 20_000 });
    await mountKv2(bao, "kv");
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`K${index}`, "v"]));
    await writeSecret(bao, "kv/data/many", many);
  });

  test("leaves nothing behind", async () => {
    const bao = await startOpenBao();
    await bao.stop();
    await bao.stop();
    expect(fetch(`${bao.address}/v1/sys/health`)).rejects.toThrow();
  });
});

test("fetchOpenBao gives the binary that is there without any program", async () => {
  const cache = cacheFolder(process.env);
  expect(await fetchOpenBao(cache, { PATH: "" })).toBe(openBaoBinary(cache));
});

test("a missing binary is an error that names the command", () => {
  using folder = temporaryFolder();
  expect(() => openBaoBinary(folder.path)).toThrow("run: bun scripts/fetch-openbao.ts");
});

test("fetchOpenBao names the program that it could not run, and leaves no part behind", async () => {
  using folder = temporaryFolder();
  const fetched = fetchOpenBao(folder.path, { PATH: "/nowhere", HOME: folder.path });
  await expect(fetched).rejects.toMatchObject({ code: "FETCH_FAILED" });
  expect([...new Bun.Glob("*").scanSync({ cwd: folder.path, onlyFiles: false })]).toEqual([]);
});
