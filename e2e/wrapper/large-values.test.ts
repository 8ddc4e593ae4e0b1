import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { variantOf } from "../harness/programs/program-variants.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const KIB = 1024;
const big = randomBytes(100 * KIB).toString("hex");
const many = Object.fromEntries(
  Array.from({ length: 24 }, (_, index) => [`V${index}`, big.slice(0, 100 * KIB)]),
);
const { store, environment } = oneSecretStore({
  secrets: { "secret/data/big": { BIG: big }, "secret/data/many": many },
});
afterAll(() => store.stop());
expectNothingLeft();

const everything = { ...environment, SVC_ENV_MAP: "*=*" };
const rows = [
  { what: "one value of 200 KiB", path: "secret/data/big", variable: "BIG", told: "BIG has more" },
  {
    what: "values of 2.4 MB in all",
    path: "secret/data/many",
    variable: "V23",
    told: "all variables together are too large",
  },
];

for (const { what, path, variable, told } of rows) {
  describe(what, () => {
    const settings = { ...everything, SVC_SECRET_PATHS: path };
    const program = ["/bin/sh", "-c", `/usr/bin/printenv ${variable} | /usr/bin/wc -c`];

    test("auto takes preload, and programs that the program starts have them", async () => {
      const { exitCode, stdout, stderr } = await runWrapper({ program, environment: settings });
      expect(exitCode, stderr).toBe(0);
      const length = path.endsWith("big") ? big.length : 100 * KIB;
      expect(Number(stdout.toString())).toBe(length + 1);
      expect(stderr).toContain("deliver by preload: by inject it could start no program: ");
      expect(stderr).toContain(told);
      expect(stderr).not.toContain(big.slice(0, 16));
    });

    test("inject warns that the program can start no other one", async () => {
      const { stdout, stderr } = await runWrapper({
        program,
        environment: { ...settings, SVC_DELIVERY: "inject" },
      });
      expect(stdout.toString()).not.toContain(String(big.length));
      expect(stderr).toContain("can start no other one (Argument list too long): ");
      expect(stderr).toContain(told);
      expect(stderr).toContain("use SVC_DELIVERY=preload");
    });
  });
}

test("a static program gets a large value by inject, with the warning", async () => {
  const { exitCode, stderr } = await runWrapper({
    program: [variantOf("musl, static")],
    environment: { ...everything, SVC_SECRET_PATHS: "secret/data/big" },
  });
  expect([exitCode, stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining("deliver by inject"),
  ]);
  expect(stderr).toContain("can start no other one");
});
