import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { store, environment, password, at } = setStage();

describe("the environment", () => {
  const own = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const others = ["PATH=/usr/bin:/bin", "EMPTY=", "no equals sign", "=", "TWICE=1", "TWICE=2"].map(
    (entry) => Buffer.from(entry),
  );
  const odd = [
    ["NOT_UTF8=", 0xff, 0xfe, 0x80],
    ["LATIN_", 0xe4, "=1"],
    ["LINES=a\nb\r\nc\t\x01"],
    ["LONG=", "x".repeat(100_000)],
    ["VAULTY=kept"],
    // Kubernetes makes these for Services called svc, svc-foo and vault.
    ["SVC_PORT=tcp://10.96.0.7:80"],
    ["SVC_FOO_SERVICE_HOST=10.96.0.8"],
    ["VAULT_SERVICE_HOST=10.96.0.9"],
    ["VAULT_PORT_8200_TCP=", 0xff, 0xfe],
    ["SVC_NAME=the application's own"],
    ["MY_SVC_NAME=kept"],
    ["vault_addr=kept"],
  ].map((parts) => Buffer.concat(parts.map(toBytes)));

  test("reaches the program to the byte and in order, without the wrapper's variables", async () => {
    const kept = [...others, ...odd];
    const given = [...own.slice(0, 3).map(toBytes), ...kept, ...own.slice(3).map(toBytes)];
    const found = await environmentAfter(given);
    const delivered = Buffer.from(`DB_PASSWORD=${password}`);
    expect(found.equals(joined([...kept, delivered]))).toBe(true);
  });

  test("keeps of the wrapper's variables those that SVC_PASS_ENV names, and never the token", async () => {
    const passed = ["SVC_PASS_ENV=VAULT_ADDR,HEALTH_ADDR,SVC_ENV_MAP"];
    const found = await environmentAfter([...own, ...passed].map(toBytes));
    const kept = ["VAULT_ADDR", "SVC_ENV_MAP", "HEALTH_ADDR"];
    expect(namesIn(found)).toEqual([...kept, "DB_PASSWORD"]);
    expect(found.includes(store.token)).toBe(false);
  });

  test("loses the wrapper's variables, and a debug line names them", async () => {
    const { stderr } = await runWrapper({
      program: ["/bin/true"],
      environment: { ...environment, SVC_LOG_LEVEL: "debug", SVC_NAME: "theirs" },
    });
    const names = /"removed":"([^"]*)"/.exec(stderr)?.[1]?.split(" ") ?? [];
    expect(names).toContainValues(["VAULT_ADDR", "SVC_ENV_MAP", "SVC_LOG_LEVEL"]);
    expect(names).not.toContain("SVC_NAME");
  });

  test("loses a variable that is delivered as a secret, wherever it stood", async () => {
    const given = ["DB_PASSWORD=stale", "A=1", "DB_PASSWORD=staler", ...own].map(toBytes);
    const found = await environmentAfter(given);
    expect(found.toString()).toBe(`A=1\0DB_PASSWORD=${password}\0`);
  });

  test("has the program's own pid in LISTEN_PID if it had the wrapper's", async () => {
    const shell = 'test "$LISTEN_PID" = "$$" && test "$LISTEN_FDS" = 1 && echo own';
    const { stdout } = await runWrapper({
      program: ["/bin/sh", "-c", shell],
      environment: { ...environment, LISTEN_FDS: "1" },
      startsAs: ["-p"],
    });
    expect(stdout.toString()).toBe("own\n");
  });

  test("keeps a LISTEN_PID that means another process", async () => {
    const found = await environmentAfter([...own, "LISTEN_PID=1"].map(toBytes));
    expect(found.toString()).toBe(`LISTEN_PID=1\0DB_PASSWORD=${password}\0`);
  });

  async function environmentAfter(entries: readonly Buffer[]): Promise<Buffer> {
    const file = at("environment");
    writeFileSync(file, joined(entries));
    const program = [fixture("prints-env")];
    const { exitCode, stdout, stderr } = await runWrapper({ program, startsAs: ["-e", file] });
    expect(exitCode, stderr).toBe(0);
    return stdout;
  }

  function joined(entries: readonly Buffer[]): Buffer {
    return Buffer.concat(entries.flatMap((entry) => [entry, Buffer.of(0)]));
  }

  function namesIn(block: Buffer): readonly string[] {
    const entries = block.toString().split("\0").filter(Boolean);
    return entries.map((entry) => entry.slice(0, entry.indexOf("=")));
  }

  function toBytes(part: string | number): Buffer {
    return typeof part === "number" ? Buffer.of(part) : Buffer.from(part);
  }
});
