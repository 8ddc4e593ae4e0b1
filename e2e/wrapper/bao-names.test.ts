import { describe, expect, test } from "bun:test";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password } = setStage();
const { VAULT_ADDR: address = "", VAULT_TOKEN: token = "", ...rest } = environment;
const bao = { ...rest, BAO_ADDR: address, BAO_TOKEN: token };
const program = ["/bin/sh", "-c", 'echo "$DB_PASSWORD,$BAO_ADDR,$BAO_TOKEN,$VAULT_TOKEN"'];

describe("the variables of OpenBao's client", () => {
  const rows = [
    ["are the wrapper's, and not the program's", bao, `${password},,,`],
    [
      "are the program's, too, if SVC_PASS_ENV names them",
      { ...bao, SVC_PASS_ENV: "BAO_ADDR" },
      `${password},${address},,`,
    ],
    [
      "are the program's alone if VAULT_ADDR is set",
      { ...environment, BAO_ADDR: "http://other.invalid", BAO_TOKEN: "theirs" },
      `${password},http://other.invalid,theirs,`,
    ],
  ] as const;
  for (const [what, variables, printed] of rows) {
    test.concurrent(what, async () => {
      const ended = await runWrapper({ program, environment: variables });
      expect(ended.stdout.toString(), ended.stderr).toBe(`${printed}\n`);
    });
  }

  test.concurrent("are named by errors as they were written", async () => {
    const variables = { ...bao, BAO_ADDR: "vault:8200" };
    const { exitCode, stderr } = await runWrapper({ program, environment: variables });
    expect(exitCode).toBe(125);
    expect(stderr).toContain("BAO_ADDR, as VAULT_ADDR: must be");
    expect(stderr).not.toContain(token);
  });
});

test.concurrent("a proxy is named that the wrapper does not ask, without its password", async () => {
  const { exitCode, stderr } = await runWrapper({
    program: ["/bin/true"],
    environment: { ...environment, VAULT_PROXY_ADDR: "http://user:hidden@proxy.invalid:3128" },
  });
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("VAULT_PROXY_ADDR: has no effect");
  expect(stderr).not.toContain("hidden");
});
