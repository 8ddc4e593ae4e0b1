import { expect, test } from "bun:test";
import { entriesOf } from "../testdata/entries.ts";
import { readBaoNames, withBaoNames } from "./bao-names.ts";

const rows: readonly (readonly [
  what: string,
  environment: Readonly<Record<string, string>>,
  read: readonly string[],
])[] = [
  [
    "BAO_ADDR with the others",
    { BAO_ADDR: "a", BAO_TOKEN: "t", BAO_CACERT: "c" },
    ["ADDR", "TOKEN", "CACERT"],
  ],
  ["none if VAULT_ADDR is set", { BAO_ADDR: "a", VAULT_ADDR: "v", BAO_TOKEN: "t" }, []],
  ["none if BAO_ADDR is not set", { BAO_TOKEN: "t", BAO_NAMESPACE: "n" }, []],
  ["none if BAO_ADDR is empty", { BAO_ADDR: "", BAO_TOKEN: "t" }, []],
  ["BAO_ADDR if VAULT_ADDR is empty", { BAO_ADDR: "a", VAULT_ADDR: "" }, ["ADDR"]],
  ["no token if VAULT_TOKEN is set", { BAO_ADDR: "a", BAO_TOKEN: "t", VAULT_TOKEN: "v" }, ["ADDR"]],
  ["no other variable of OpenBao's", { BAO_ADDR: "a", BAO_LOG_LEVEL: "x" }, ["ADDR"]],
];
for (const [what, environment, read] of rows) {
  test(`the wrapper reads ${what}`, () => {
    const entries = Object.entries(environment).map(([name, text]) => ({
      name,
      isSet: text !== "",
    }));
    const expected = read.map((name): [string, string] => [`BAO_${name}`, `VAULT_${name}`]);
    expect([...readBaoNames(entries, false)].sort()).toEqual([...expected].sort());
    expect(readBaoNames(entries, true).size).toBe(0);
  });
}

test("an empty variable of Vault's name does not hide the one that stands for it", () => {
  const texts = ["VAULT_ADDR=", "A=1", "BAO_ADDR=http://b:1", "VAULT_TOKEN=", "BAO_TOKEN=t"];
  const found = withBaoNames(entriesOf(...texts), false);
  const names = found.map(({ name, writtenAs = name }) => `${name} by ${writtenAs}`);
  expect(names).toEqual([
    ...["A by A", "VAULT_ADDR by BAO_ADDR", "VAULT_TOKEN by BAO_TOKEN"],
    ...["VAULT_ADDR by VAULT_ADDR", "VAULT_TOKEN by VAULT_TOKEN"],
  ]);
});

test("without a variable of OpenBao's client the entries stay as they are", () => {
  const entries = entriesOf("VAULT_ADDR=", "A=1");
  expect(withBaoNames(entries, false)).toEqual(entries);
});
