import { afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { CANARY_PREFIX, canary } from "./canary.ts";
import { certificateAuthority } from "./certificates/certificate-authority.ts";
import { TestingError } from "./errors.ts";
import { needsRoot } from "./needs-root.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { waitFor } from "./wait-for.ts";

describe("cacheFolder", () => {
  const ROWS = [
    ["XDG_CACHE_HOME is used", { XDG_CACHE_HOME: "/c", HOME: "/h" }, "/c/svc"],
    ["an empty one is not", { XDG_CACHE_HOME: "", HOME: "/h" }, "/h/.cache/svc"],
    ["a relative one is not", { XDG_CACHE_HOME: "c", HOME: "/h" }, "/h/.cache/svc"],
  ] as const;
  for (const [name, env, wanted] of ROWS) {
    test(name, () => {
      expect(cacheFolder(env)).toBe(wanted);
    });
  }
});

describe("waitFor", () => {
  test("gives the first value that is there", async () => {
    const values = [undefined, null, false, 0];
    expect(await waitFor(() => values.shift(), { deadlineMs: 1000, what: "a value" })).toBe(0);
  });
  test("names the missing event", async () => {
    const waiting = waitFor(() => false, { deadlineMs: 20, what: "the moon" });
    expect(waiting).rejects.toMatchObject({
      code: "DEADLINE",
      message: "wait for the moon: not within 120 ms",
    });
  });
  test("an error of the condition ends the wait", async () => {
    const failing = () => {
      throw new TestingError("BAD_ANSWER", "no");
    };
    expect(waitFor(failing, { deadlineMs: 1000, what: "x" })).rejects.toMatchObject({
      message: "no",
    });
  });
});

test("a test that needs root is skipped for an ordinary user, and not for root", () => {
  const conditions: boolean[] = [];
  const declare = {
    skipIf: (condition: boolean) => {
      conditions.push(condition);
      return declare;
    },
  };
  expect(needsRoot(declare)).toBe(declare);
  expect(conditions).toEqual([process.getuid?.() !== 0]);
});

test("a temporary folder goes with its contents", async () => {
  const folder = temporaryFolder();
  await Bun.write(join(folder.path, "a/b"), "x");
  folder[Symbol.dispose]();
  expect(existsSync(folder.path)).toBe(false);
});

test("no two canaries are the same, and all can be recognised", () => {
  expect(canary()).not.toBe(canary());
  expect(canary()).toStartWith(CANARY_PREFIX);
});

describe("certificateAuthority", () => {
  let server: Bun.Server<undefined> | undefined;
  afterEach(async () => {
    await server?.stop(true);
  });

  const DAY_MS = 86_400_000;
  const ROWS = [
    ["its certificates are trusted for their names", {}, undefined],
    [
      "a certificate for another name is refused",
      { names: ["other.test"] },
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    ["an expired certificate is refused", { expiresMs: Date.now() - DAY_MS }, "CERT_HAS_EXPIRED"],
  ] as const;
  for (const [name, wanted, code] of ROWS) {
    test(name, async () => {
      const authority = await certificateAuthority();
      const { certificatePem: cert, keyPem: key } = await authority.issue(wanted);
      server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        tls: { cert, key },
        fetch: () => new Response("hi"),
      });
      const asked = fetch(server.url, { tls: { ca: authority.certificatePem } });
      if (code === undefined) expect(await (await asked).text()).toBe("hi");
      else expect(asked).rejects.toMatchObject({ code });
    });
  }
});
