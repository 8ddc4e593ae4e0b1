import { expect, test } from "bun:test";
import { parseYaml } from "./parse-yaml.ts";

test("numbers with a leading zero are octal, as kubectl reads them", () => {
  const text = `
defaultMode: 0400
items: [{mode: 0755}, {mode: 0644 }, 010]
list:
  - 0777
  - 0 # nought
  - 0800
quoted: "0400"
single: '0400'
script: |
  chmod 0755 /x
  defaultMode: 0400
folded: install -m 0755 /x
decimal: 400
version: 1.01
`;
  expect(parseYaml(text)).toEqual({
    defaultMode: 0o400,
    items: [{ mode: 0o755 }, { mode: 0o644 }, 8],
    list: [0o777, 0, 800],
    quoted: "0400",
    single: "0400",
    script: "chmod 0755 /x\ndefaultMode: 0400\n",
    folded: "install -m 0755 /x",
    decimal: 400,
    version: 1.01,
  });
});

test("each of several documents is read so", () => {
  expect(parseYaml("a: 010\n---\nb: 011\n")).toEqual([{ a: 8 }, { b: 9 }]);
});
