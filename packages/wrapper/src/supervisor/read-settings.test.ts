import { describe, expect, test } from "bun:test";
import { least } from "../settings/testdata/least-environment.ts";
import type { SettingsResult } from "../settings.ts";
import { entriesOf } from "../testdata/entries.ts";
import type { CommandLine } from "./command-line.ts";
import { readSettings } from "./read-settings.ts";

const noWords: CommandLine = { flags: [], programWords: [] };
const variables = (more: Readonly<Record<string, string>> = {}) =>
  Object.entries({ ...least, ...more }).map(([name, value]) => `${name}=${value}`);

const problemsOf = (result: SettingsResult) =>
  result.kind === "problems" ? result.problems.map(({ message }) => message) : [];

describe("readSettings", () => {
  test("reads the wrapper's variables from the environment block", () => {
    const result = readSettings(noWords, entriesOf(...variables()), false);
    expect(result).toMatchObject({
      kind: "settings",
      settings: { vault: { address: least["VAULT_ADDR"] } },
    });
  });

  test("takes the first of several variables of one name, as getenv does", () => {
    const environment = entriesOf("VAULT_ADDR=http://first:1", ...variables());
    expect(readSettings(noWords, environment, false)).toMatchObject({
      settings: { vault: { address: "http://first:1" } },
    });
  });

  test("knows of the token only that it is there", () => {
    const environment = entriesOf("VAULT_TOKEN=\xff", ...variables());
    const result = readSettings(noWords, environment, true);
    expect(result).toMatchObject({ settings: { vault: { auth: { method: "token" } } } });
  });

  test("does not look at the program's variables", () => {
    const environment = entriesOf("APP=\xff", ...variables());
    expect(readSettings(noWords, environment, false).kind).toBe("settings");
  });

  test("lets flags win, and a program after -- as well", () => {
    const programWords = [Buffer.from("/bin/app"), Buffer.from([0xff])];
    const commandLine = { flags: ["--vault-addr=http://flag:1"], programWords };
    expect(readSettings(commandLine, entriesOf(...variables()), false)).toMatchObject({
      settings: { vault: { address: "http://flag:1" }, program: { kind: "arguments" } },
    });
  });

  test("names a variable that is not UTF-8 together with everything else that is wrong", () => {
    const environment = entriesOf("SVC_POD_UID=\xff", ...variables({ SVC_ROTATION: "often" }));
    expect(problemsOf(readSettings(noWords, environment, false))).toEqual([
      "SVC_POD_UID: must be UTF-8 text: other bytes",
      'SVC_ROTATION: must be one of restart, sighup, none: got "often"',
    ]);
  });

  test("names a variable as it was written", () => {
    const [address] = entriesOf("VAULT_ADDR=vault:8200");
    if (address === undefined) throw new Error("there has to be an entry");
    const environment = [
      { ...address, writtenAs: "BAO_ADDR" },
      ...entriesOf(...variables({ SVC_ROTATION: "often" })).filter(
        ({ name }) => name !== "VAULT_ADDR",
      ),
    ];
    expect(problemsOf(readSettings(noWords, environment, false))).toEqual([
      expect.stringMatching(/^BAO_ADDR, as VAULT_ADDR: must be /),
      expect.stringMatching(/^SVC_ROTATION: must be /),
    ]);
  });

  for (const kind of ["help", "version"] as const) {
    test(`gives --${kind} despite other problems`, () => {
      const environment = entriesOf("SVC_POD_UID=\xff");
      expect(readSettings({ flags: [`--${kind}`], programWords: [] }, environment, false)).toEqual({
        kind,
      });
    });
  }
});
