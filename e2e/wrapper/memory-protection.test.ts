import { afterAll, describe, expect, test } from "bun:test";
import { startDevStore } from "@svc/devstore";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { runToProof } from "../harness/wrapper/run-to-proof.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const ENOSYS = 38;
const EPERM = 1;

const { store, environment, password } = oneSecretStore();
afterAll(() => store.stop());
expectNothingLeft();

describe("memory that the kernel does not protect", () => {
  const withoutMemfdSecret = ["-n", `memfd_secret=${ENOSYS}`];
  const withoutMlock = ["-n", `mlock=${EPERM}`, "-n", `mlock2=${EPERM}`];
  const readsVariable = ["/usr/bin/printenv", "DB_PASSWORD"];
  /** `DB_PASSWORD=` and the NUL make it 100,013 bytes, in pages of 4,096. */
  const long = "x".repeat(100_000);

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

  test("SVC_REQUIRE_MLOCK keeps the program from starting if locking is refused", async () => {
    const ended = await runToProof({
      environment: { ...environment, SVC_REQUIRE_MLOCK: "true" },
      startsAs: withoutMlock,
    });
    expect([ended.exitCode, ended.ran]).toEqual([125, false]);
    expect(ended.message).toStartWith("MLOCK_FAILED");
    expect(ended.message).toContain("EPERM");
  });

  test("a refused lock is not an obstacle if it is not required", async () => {
    const { exitCode, ran } = await runToProof({ environment, startsAs: withoutMlock });
    expect([exitCode, ran]).toEqual([0, true]);
  });

  test("SVC_REQUIRE_MLOCK is granted to an unprivileged user with 8 MiB", async () => {
    const ended = await runWrapper({
      program: ["/usr/bin/printenv", "DB_PASSWORD"],
      environment: { ...environment, SVC_REQUIRE_MLOCK: "true" },
      startsAs: ["-l", "memlock=8388608", ...unprivileged],
    });
    expect(ended.stderr).not.toContain("MLOCK_FAILED");
    expect(ended).toMatchObject({ exitCode: 0, stdout: Buffer.from(`${password}\n`) });
  });

  for (const [limit, code] of [
    [65_536, undefined],
    [8192, "MLOCK_FAILED"],
    // The supervisor's own region finds no place.
    [0, "MEMORY_LOCK_LIMIT"],
  ] as const) {
    const isEnough = code === undefined;
    const outcome = isEnough ? "granted" : "refused, and the limit is named";
    test(`SVC_REQUIRE_MLOCK with ${limit} bytes is ${outcome}`, async () => {
      const ended = await runToProof({
        environment: { ...environment, SVC_REQUIRE_MLOCK: "true" },
        startsAs: ["-l", `memlock=${limit}`, ...unprivileged],
        program: ["/bin/true"],
      });
      expect(ended.exitCode, ended.stderr).toBe(isEnough ? 0 : 125);
      expect(ended.errorCodes).toEqual(isEnough ? [] : [code]);
      if (!isEnough) expect(ended.stderr).toContain(`RLIMIT_MEMLOCK is ${limit} bytes`);
    });
  }

  describe("SVC_REQUIRE_MLOCK=false starts the program, and a warning names the limit, with", () => {
    const limits: Readonly<Record<string, readonly string[]>> = {
      "no locked memory at all": ["-l", "memlock=0"],
      "no locked memory and no memfd_secret": ["-l", "memlock=0", ...withoutMemfdSecret],
      "one page less than a page": ["-l", "memlock=4095"],
    };
    for (const [name, limit] of Object.entries(limits)) {
      for (const delivery of ["auto", "inject", "preload", "env"]) {
        test(`${name} (${delivery})`, async () => {
          const ended = await runWrapper({
            program: readsVariable,
            environment: { ...environment, SVC_DELIVERY: delivery },
            startsAs: [...limit, ...unprivileged],
          });
          expect(ended.exitCode, ended.stderr).toBe(0);
          expect(ended.stdout.toString()).toContain(password);
          expect(ended.stderr).toContain('"level":"warn"');
          expect(ended.stderr).toMatch(/RLIMIT_MEMLOCK is (0|4095) bytes/);
          expect(ended.stderr).not.toContain('"level":"error"');
        });
      }
    }

    test("64 KiB, of which the region takes most: the courier makes room, and nothing is degraded", async () => {
      const value = "x".repeat(40_000);
      await using large = startDevStore({ secrets: { "secret/data/app": { password: value } } });
      const ended = await runWrapper({
        program: readsVariable,
        environment: { ...environment, VAULT_ADDR: large.address, VAULT_TOKEN: large.token },
        startsAs: ["-l", "memlock=65536", ...unprivileged],
      });
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(ended.stdout.toString()).toBe(`${value}\n`);
      expect(ended.stderr).not.toContain("swap");
    });

    test("64 KiB, and secrets that need more", async () => {
      await using large = startDevStore({ secrets: { "secret/data/app": { password: long } } });
      const ended = await runWrapper({
        program: readsVariable,
        environment: { ...environment, VAULT_ADDR: large.address, VAULT_TOKEN: large.token },
        startsAs: ["-l", "memlock=65536", ...unprivileged],
      });
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(ended.stdout.toString()).toBe(`${long}\n`);
      expect(ended.stderr).toContain("102400 bytes of locked memory are needed");
      expect(ended.stderr).toContain("RLIMIT_MEMLOCK is 65536 bytes");
    });
  });

  describe("secrets over RLIMIT_MEMLOCK are refused with the number of bytes needed by", () => {
    const required = {
      SVC_REQUIRE_MEMFD_SECRET: "MEMORY_LOCK_LIMIT",
      SVC_REQUIRE_MLOCK: "MLOCK_FAILED",
    };
    for (const [variable, code] of Object.entries(required)) {
      test(variable, async () => {
        await using large = startDevStore({ secrets: { "secret/data/app": { password: long } } });
        const ended = await runToProof({
          program: ["/bin/true"],
          environment: {
            ...environment,
            VAULT_ADDR: large.address,
            VAULT_TOKEN: large.token,
            [variable]: "true",
          },
          startsAs: ["-l", "memlock=65536", ...unprivileged],
        });
        expect(ended.exitCode).toBe(125);
        expect(ended.errorCodes).toEqual([code]);
        expect(ended.stderr).toContain("65536");
      });
    }
  });

  describe("a value that fits by itself, and not beside a copy of it,", () => {
    const rows = {
      "is refused by the library": ["library", 125],
      "does not exist by inject": ["inject", 0],
    };
    for (const [name, [delivery, exitCode]] of Object.entries(rows)) {
      test(`${name}, if values are replaced`, async () => {
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
            SVC_REQUIRE_MEMFD_SECRET: "true",
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
