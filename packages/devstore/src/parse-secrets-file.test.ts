import { describe, expect, test } from "bun:test";
import type { JsonObject } from "./json.ts";
import { parseSecretsFile } from "./parse-secrets-file.ts";

type Read = readonly [
  name: string,
  file: string,
  text: string,
  wanted: Readonly<Record<string, JsonObject>>,
];
const flat = (fields: JsonObject) => ({ "secret/data/app": fields });

const READ: readonly Read[] = [
  ["plain lines", ".env", "A=1\nB=two words\n", flat({ A: "1", B: "two words" })],
  ["no newline at the end", ".env", "A=1", flat({ A: "1" })],
  ["CRLF", "app.env", "A=1\r\nB=2\r\n", flat({ A: "1", B: "2" })],
  ["a byte order mark", ".env", "\uFEFFA=1", flat({ A: "1" })],
  ["export and blanks", ".env.local", "  export  A = 1  \n", flat({ A: "1" })],
  ["comments", ".env", "# one\n\nA=1 # two\nB=1#2\n  # three", flat({ A: "1", B: "1#2" })],
  ["an empty value", ".env", "A=\nB=''\nC=\"\"", flat({ A: "", B: "", C: "" })],
  ["an empty value before a comment", ".env", "A= # none\nB=1", flat({ A: "", B: "1" })],
  ["single quotes keep everything", ".env", "A=' a\\n$B \"#'", flat({ A: ' a\\n$B "#' })],
  [
    "double quotes know escapes",
    ".env",
    'A="a\\n\\t\\"\\\\ \\$B \\x"',
    flat({ A: 'a\n\t"\\ $B \\x' }),
  ],
  ["double quotes span lines", ".env", 'A="one\ntwo"\nB=1', flat({ A: "one\ntwo", B: "1" })],
  ["a comment after a quoted value", ".env", 'A="1" # one\nB=2', flat({ A: "1", B: "2" })],
  ["a dollar is a dollar", ".env", "A=$B$C", flat({ A: "$B$C" })],
  ["an equals sign in a value", ".env", "A=b=c==", flat({ A: "b=c==" })],
  [
    "flat JSON",
    "s.json",
    '{"a": 1, "b": {"c": [true, null]}}',
    flat({ a: 1, b: { c: [true, null] } }),
  ],
  [
    "nested JSON",
    "s.json",
    '{"secret/data/a": {"k": "v"}, "kv/data/b/c": {}}',
    { "secret/data/a": { k: "v" }, "kv/data/b/c": {} },
  ],
  ["a name with a slash in a flat file", "s.json", '{"a/b": "x"}', flat({ "a/b": "x" })],
  ["flat YAML", "s.yaml", "a: 1\nb: |\n  x\n  y\nc: 'no'\n", flat({ a: 1, b: "x\ny\n", c: "no" })],
  ["nested YAML", "s.yml", "secret/data/a:\n  k: v\n", { "secret/data/a": { k: "v" } }],
];

describe("reads", () => {
  for (const [name, file, text, secrets] of READ) {
    test(name, () => {
      expect(parseSecretsFile(file, text)).toEqual({ ok: true, secrets });
    });
  }
  test("a flat file at a path of the caller's", () => {
    const parsed = parseSecretsFile(".env", "A=1", { flatPath: "kv/data/x" });
    expect(parsed).toEqual({ ok: true, secrets: { "kv/data/x": { A: "1" } } });
  });
});

type Refused = readonly [
  name: string,
  file: string,
  text: string,
  problems: readonly (readonly [line: number, message: string])[],
];

const REFUSED: readonly Refused[] = [
  [
    "every bad line of a .env file",
    ".env",
    'A=1\nnonsense\n1A=2\nA=3\nB="open\nC=4\n',
    [
      [2, "the line: must be NAME=VALUE or a comment"],
      [3, "the line: must be NAME=VALUE or a comment"],
      [4, "A: is set twice"],
      [5, "B: has a quote that is not closed"],
    ],
  ],
  ["text after a quote", ".env", '\nA="1"x', [[2, "A: has text after its closing quote"]]],
  ["an open single quote", ".env", "A='1", [[1, "A: has a quote that is not closed"]]],
  ["a NUL byte", ".env", "A=a\0b", [[1, "A: has a NUL byte"]]],
  [
    "JSON with a comma too many",
    "s.json",
    '{\n"a": 1,\n}',
    [[3, "JSON: must have a quoted name here"]],
  ],
  ["JSON that ends", "s.json", '{\n"a": [1,\n', [[3, "JSON: ends too early"]]],
  ["JSON with a bad value", "s.json", '{\n"a":\n01}', [[3, "JSON: must have a value here"]]],
  ["JSON with text after it", "s.json", "{}\n{}", [[2, "JSON: has text after its end"]]],
  ["JSON with a missing comma", "s.json", '{"a": 1\n"b": 2}', [[2, 'JSON: must have "}" here']]],
  ["JSON with a name twice", "s.json", '{"a": 1,\n"a": 2}', [[2, 'JSON: has the name "a" twice']]],
  [
    "JSON with a bad escape",
    "s.json",
    '{"a":\n"\\q"}',
    [[2, "JSON: has a text with a bad escape or a control character here"]],
  ],
  ["JSON that is a list", "s.json", "[]", [[1, "the file: must be a mapping of names to values"]]],
  [
    "YAML that cannot be parsed",
    "s.yaml",
    "a: 1\nb: [x\n",
    [[2, "YAML: cannot be parsed here or in the lines after it"]],
  ],
  [
    "YAML that is a text",
    "s.yaml",
    "hello",
    [[1, "the file: must be a mapping of names to values"]],
  ],
  [
    "YAML of two documents",
    "s.yaml",
    "a: 1\n---\nb: 1\n",
    [[1, "the file: must be a mapping of names to values"]],
  ],
  ["nothing", ".env", "# nothing\n", [[1, "the file: has no secrets"]]],
  ["an empty JSON object", "s.json", "{}", [[1, "the file: has no secrets"]]],
  [
    "paths that are not KV version 2, and fields among paths",
    "s.json",
    '{\n"secret/a": {},\n"x": 1,\n"secret/data/b": "v",\n"secret/data/c": {}}',
    [
      [2, 'path "secret/a": must be <mount>/data/<path>, as all keys of a file with paths'],
      [3, 'path "x": must be <mount>/data/<path>, as all keys of a file with paths'],
      [4, 'path "secret/data/b": must hold a mapping of fields'],
    ],
  ],
  [
    "another kind of file",
    "s.toml",
    "",
    [[1, 'kind of file: must end in .env, .json, .yaml or .yml: got "s.toml"']],
  ],
];

describe("refuses", () => {
  for (const [name, file, text, wanted] of REFUSED) {
    test(name, () => {
      const problems = wanted.map(([line, message]) => ({ line, message }));
      expect(parseSecretsFile(file, text)).toEqual({ ok: false, problems });
    });
  }
  test("and never quotes a value", () => {
    const texts = { ".env": 'A="s3cret', "s.json": '{"A": "s3cret', "s.yaml": "A: [s3cret" };
    for (const [file, text] of Object.entries(texts)) {
      expect(JSON.stringify(parseSecretsFile(file, text))).not.toContain("s3cret");
    }
  });
});
