import { afterAll, describe, expect, test } from "bun:test";
import { startDevStore } from "@svc/devstore";
import { fixture } from "./fixture-programs.ts";
import { expectNothingLeft } from "./leftovers.ts";
import { oneSecretStore } from "./one-secret.ts";
import { runToProof } from "./run-to-proof.ts";
import { runWrapper } from "./wrapper-process.ts";

const ENOSYS = 38;
const EPERM = 1;
const NOBODY = "65534";

const { store, environment, password } = oneSecretStore();
afterAll(() => store.stop());
expectNothingLeft();

describe("memory that the kernel does not protect", () => {
  const withoutMemfdSecret = ["-n", `memfd_secret=${ENOSYS}`];
  const withoutMlockall = ["-n", `mlockall=${EPERM}`];
  const unprivileged = ["-U", NOBODY];

  test("without memfd_secret the delivery is degraded, and said to be", async () => {
    const ended = await runWrapper({
      program: [fixture("reads-secret-fd")],
      environment: { ...environment, SVC_DELIVERY: "library" },
      startsAs: withoutMemfdSecret,
    });
    expect(ended.stdout.toString()).toBe(`DB_PASSWORD=${password}\0`);
    expect(ended.stderr).toContain("degraded");
    expect(ended.stderr).toContain("memfd_secret");
  });

  test("SVC_REQUIRE_MEMFD_SECRET without memfd_secret keeps the program from starting", async () => {
    const launch = { startsAs: withoutMemfdSecret };
    const ended = await runToProof({
      environment: { ...environment, SVC_REQUIRE_MEMFD_SECRET: "true" },
      ...launch,
    });
    expect([ended.exitCode, ended.ran]).toEqual([125, false]);
    expect(ended.message).toStartWith("MEMFD_SECRET_UNAVAILABLE");
    expect(ended.message).toContain("5.14");
  });

  test("SVC_REQUIRE_MEMFD_SECRET with memfd_secret is content", async () => {
    const { exitCode, ran } = await runToProof({
      environment: { ...environment, SVC_REQUIRE_MEMFD_SECRET: "true" },
    });
    expect([exitCode, ran]).toEqual([0, true]);
  });

  test("SVC_REQUIRE_MLOCK where mlockall is refused keeps the program from starting", async () => {
    const ended = await runToProof({
      environment: { ...environment, SVC_REQUIRE_MLOCK: "true" },
      startsAs: withoutMlockall,
    });
    expect([ended.exitCode, ended.ran]).toEqual([125, false]);
    expect(ended.message).toStartWith("MLOCK_FAILED");
    expect(ended.message).toContain("EPERM");
  });

  test("mlockall that is refused is no obstacle where it is not required", async () => {
    const { exitCode, ran } = await runToProof({ environment, startsAs: withoutMlockall });
    expect([exitCode, ran]).toEqual([0, true]);
  });

  test("SVC_REQUIRE_MLOCK as an unprivileged user with a small limit is refused", async () => {
    const ended = await runToProof({
      environment: { ...environment, SVC_REQUIRE_MLOCK: "true" },
      startsAs: ["-l", "memlock=8388608", ...unprivileged],
      program: ["/bin/true"],
    });
    expect(ended.exitCode).toBe(125);
    expect(ended.stderr).toContain("MLOCK_FAILED");
  });

  for (const [kind, withoutIt] of Object.entries({ memfd_secret: [], memfd: withoutMemfdSecret })) {
    test(`secrets over RLIMIT_MEMLOCK are refused with the number of bytes needed (${kind})`, async () => {
      await using large = startDevStore({
        secrets: { "secret/data/app": { password: "x".repeat(200_000) } },
      });
      const ended = await runToProof({
        program: ["/bin/true"],
        environment: { ...environment, VAULT_ADDR: large.address, VAULT_TOKEN: large.token },
        startsAs: ["-l", "memlock=65536", ...withoutIt, ...unprivileged],
      });
      // DB_PASSWORD= and the NUL make it 200,013 bytes, in pages of 4,096.
      expect(ended.exitCode).toBe(125);
      expect(ended.errorCodes).toEqual(["MEMORY_LOCK_LIMIT"]);
      expect(ended.stderr).toContain("200704");
      expect(ended.stderr).toContain("65536");
    });
  }

  describe("a value that fits by itself, and not beside a copy of it,", () => {
    const rows = {
      "is refused by the library": ["library", 125],
      "is none by inject": ["inject", 0],
    };
    for (const [name, [delivery, exitCode]] of Object.entries(rows)) {
      test(`${name}, where values are replaced`, async () => {
        await using large = startDevStore({
          secrets: { "secret/data/app": { password: "x".repeat(6000) } },
        });
        const ended = await runToProof({
          program: ["/bin/true"],
          environment: {
            ...environment,
            VAULT_ADDR: large.address,
            VAULT_TOKEN: large.token,
            SVC_DELIVERY: String(delivery),
            SVC_ROTATION: "sighup",
          },
          startsAs: ["-l", "memlock=65536", ...unprivileged],
        });
        expect(ended.exitCode, ended.stderr).toBe(Number(exitCode));
        expect(ended.errorCodes).toEqual(exitCode === 0 ? [] : ["MEMORY_LOCK_LIMIT"]);
      });
    }
  });

  test("an unprivileged user with the usual limit gets the secrets", async () => {
    const ended = await runWrapper({
      program: ["/usr/bin/printenv", "DB_PASSWORD"],
      environment,
      startsAs: ["-l", "memlock=8388608", ...unprivileged],
    });
    expect(ended).toMatchObject({ exitCode: 0, stdout: Buffer.from(`${password}\n`) });
  });
});

describe("10 MB of secrets in 5,000 keys", () => {
  const keys = Array.from({ length: 5000 }, (_, index) => `KEY_${index}`);
  const fields = Object.fromEntries(keys.map((key) => [key, key.padEnd(2000, ".")]));
  const large = startDevStore({ secrets: { "secret/data/app": fields } });
  afterAll(large.stop);
  const settings = {
    ...environment,
    VAULT_ADDR: large.address,
    VAULT_TOKEN: large.token,
    SVC_ENV_MAP: "*=*",
  };

  test("are delivered by the library", async () => {
    const delivered = await runWrapper({
      program: [fixture("reads-secret-fd")],
      environment: { ...settings, SVC_DELIVERY: "library" },
    });
    expect(delivered.exitCode, delivered.stderr).toBe(0);
    const expected = keys.map((key) => `${key}=${fields[key]}\0`).sort();
    const found = delivered.stdout.toString().split("\0").filter(Boolean);
    expect(found.map((entry) => `${entry}\0`).sort()).toEqual(expected);
  });

  test("do not fit an environment, and the failure says so", async () => {
    const ended = await runToProof({ environment: { ...settings, SVC_DELIVERY: "env" } });
    expect([ended.exitCode, ended.ran]).toEqual([125, false]);
    expect(ended.errorCodes).toEqual(["ENVIRONMENT_TOO_LARGE"]);
  });
});
