import { describe, expect, test } from "bun:test";
import { parseFlags } from "./flags.ts";
import { table } from "./testdata/variable-table.ts";
import { flagOfName } from "./variable.ts";

describe("parseFlags", () => {
  const rules = {
    table,
    refused: new Map([["vault-token", { wanted: "left out", hint: "use a file" }]]),
  };
  const reads: readonly (readonly [words: string, values: Readonly<Record<string, string>>])[] = [
    ["", {}],
    ["--vault-addr=x", { "vault-addr": "x" }],
    ["--vault-addr x", { "vault-addr": "x" }],
    ["--vault-addr=a=b", { "vault-addr": "a=b" }],
    ["--vault-addr -x", { "vault-addr": "-x" }],
    ["--strict", { strict: "true" }],
    ["--strict --vault-addr x", { strict: "true", "vault-addr": "x" }],
    ["--strict false --vault-addr x", { strict: "false", "vault-addr": "x" }],
    ["--strict=F", { strict: "F" }],
    ["--secrets A,B", { secrets: "A,B" }],
    ["--output json", { output: "json" }],
    ["-o json", { output: "json" }],
    ["-o=json", { output: "json" }],
    ["-ojson --strict", { output: "json", strict: "true" }],
  ];
  for (const [words, values] of reads) {
    test(`reads "${words}"`, () => {
      expect(parseFlags(split(words), rules)).toEqual({
        values: new Map(Object.entries(values)),
        words: [],
        problems: [],
      });
    });
  }

  for (const [words, named, ...messages] of [
    ["pod web", ["pod", "web"]],
    ["--strict pod -o json web", ["pod", "web"]],
    ["pod --strict", ["pod"]],
    ["pod web other", ["pod", "web"], '"other": must be a flag: it is not one'],
  ] as const) {
    test(`takes two words among the flags of "${words}"`, () => {
      const parsed = parseFlags(split(words), { ...rules, mostWords: 2 });
      expect(parsed.words).toEqual([...named]);
      expect(parsed.problems.map(({ message }) => message)).toEqual(messages);
    });
  }

  const refuses: readonly (readonly [words: string, ...problems: string[]])[] = [
    ["--vault-addr", "--vault-addr: must be followed by a value: none follows"],
    ["--vault-addr --strict", "--vault-addr: must be followed by a value: none follows"],
    ["--vault-addr=", "--vault-addr: must be followed by a value: it is empty"],
    ["--strict --strict", "--strict: must be given once: it is there twice"],
    ["--vault-addres x", "--vault-addres: must be a known flag: there is no such flag"],
    ["-vault-addr=x", "-vault-addr: must be a known flag: there is no such flag"],
    ["-x", "-x: must be a known flag: there is no such flag"],
    ["--vault-token=hunter2", "--vault-token: must be left out: it was given as a flag"],
    ["--vault-token hunter2", "--vault-token: must be left out: it was given as a flag"],
    ["--tokn=hunter2", "--tokn: must be a known flag: there is no such flag"],
    ["--tokn hunter2", "--tokn: must be a known flag: there is no such flag"],
    ["printenv --token hunter2 A", '"printenv": must be a flag: it is not one'],
    ["--strict yes", '"yes": must be a flag: it is not one'],
    ["-", '"-": must be a flag: it is not one'],
    ["-o", "--output: must be followed by a value: none follows"],
    ["-o=", "--output: must be followed by a value: it is empty"],
    ["-o json --output text", "--output: must be given once: it is there twice"],
  ];
  for (const [words, ...messages] of refuses) {
    test(`refuses "${words}" and shows no value`, () => {
      const { problems } = parseFlags(split(words), rules);
      expect(problems.map(({ message }) => message)).toEqual(messages);
      expect(JSON.stringify(problems)).not.toContain("hunter2");
    });
  }

  const suggestions: readonly (readonly [word: string, hint: string])[] = [
    ["--vault-address=x", "did you mean --vault-addr?"],
    ["-vault-addr=x", "did you mean --vault-addr?"],
    ["--svc-rotation=x", "did you mean --rotation?"],
    ["--SVC_ROTATION=x", "did you mean --rotation?"],
    ["--hlep", "did you mean --help?"],
    ["--nothing-like-it", "--help lists the flags"],
  ];
  for (const [word, hint] of suggestions) {
    test(`hints at ${hint} for ${word}`, () => {
      expect(parseFlags([word], rules).problems[0]?.hint).toBe(hint);
    });
  }

  for (const [word, asked] of [
    ["-h", "help"],
    ["--help", "help"],
    ["-V", "version"],
    ["--version", "version"],
  ] as const) {
    test(`takes ${word} as a request for ${asked}, with any other mistake`, () => {
      expect(parseFlags(["--nonsense", word, "-h"], rules).asked).toBe(asked);
    });
  }

  test("takes a word after a flag as its value, even --help behind =", () => {
    expect(parseFlags(["--vault-addr=--help"], rules).asked).toBeUndefined();
  });

  function split(words: string): readonly string[] {
    return words === "" ? [] : words.split(" ");
  }
});

test("flagOfName drops SVC_ and keeps every other prefix", () => {
  expect(
    ["VAULT_ADDR", "SVC_SECRET_PATHS", "RENEWAL_INTERVAL", "HEALTH_ADDR"].map(flagOfName),
  ).toEqual(["vault-addr", "secret-paths", "renewal-interval", "health-addr"]);
});
