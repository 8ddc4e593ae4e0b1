import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { linesOf } from "../testdata/lines-of.ts";
import { runCaptured } from "../testdata/run-captured.ts";
import type { SecretstoreCommand } from "./help-text.ts";
import { runSecretstore } from "./run-secretstore.ts";

describe("without a store", () => {
  const run = (
    command: SecretstoreCommand,
    flags: readonly string[],
    terminal?: { columns: () => number },
  ) =>
    runCaptured((output) =>
      runSecretstore(command, flags, {
        ...{ environment: new Map([["TERM", "xterm"]]), output, terminal },
        ...{ signals: new EventEmitter(), stdin: () => new Blob([]).stream() },
        protect: () => "memory may be written to swap",
      }),
    );

  for (const command of ["init", "unseal", "status", "reset"] as const) {
    test(`${command} has a help with its flags`, async () => {
      const { exitCode, out } = await run(command, ["--help"]);
      expect(exitCode).toBe(0);
      expect(out).toStartWith(`usage: svc secretstore ${command} [FLAGS]\n`);
      expect(out).toContain("--release-name");
      expect(out.includes("--delete")).toBe(command === "reset");
      expect(/^ +--shares-stdin/m.test(out)).toBe(command === "unseal");
    });

    test(`${command} says all that is wrong at once`, async () => {
      const { exitCode, err, out } = await run(command, ["--namespace=A B", "--frobnicate"]);
      expect([exitCode, out]).toEqual([125, ""]);
      for (const name of ["--frobnicate", "STORE_ADDR", "STORE_NAMESPACE", "STORE_RELEASE_NAME"]) {
        expect(err).toContain(name);
      }
    });
  }

  test("problems are lines of JSON for programs", async () => {
    const { exitCode, out, err } = await run("status", ["--output=json", "--namespace=vault"]);
    expect([exitCode, err]).toEqual([125, ""]);
    expect(linesOf(out).map(({ type, code, variable }) => [type, code, variable])).toEqual([
      ["error", "SETTING_INVALID", "STORE_ADDR"],
      ["error", "SETTING_INVALID", "STORE_RELEASE_NAME"],
    ]);
  });

  test("the version is told", async () => {
    expect(await run("status", ["--version"])).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^svc \d/),
    });
  });

  test("a kubeconfig that is not there is an error, after the warning about memory", async () => {
    const flags = ["--store-addr=https://s.test:8200", "--namespace=v", "--release-name=r"];
    const config = "--kubeconfig=/nowhere";
    const plain = await run("status", [...flags, config]);
    expect(plain).toMatchObject({ exitCode: 125, out: "" });
    expect(plain.err).toMatch(
      /^svc: warning: memory may be written to swap\nsvc: error: .*\/nowhere/,
    );
    const json = await run("status", [...flags, config, "-o", "json"]);
    expect(linesOf(json.out).map(({ type }) => type)).toEqual(["warning", "error"]);
  });
});
