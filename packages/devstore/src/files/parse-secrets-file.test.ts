import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../json/json.ts";
import { parseSecretsFile } from "./parse-secrets-file.ts";

const parse = (file: string, text: string | Uint8Array, flatPath?: string) => {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return parseSecretsFile(file, bytes, flatPath === undefined ? {} : { flatPath });
};

type Read = readonly [
  name: string,
  file: string,
  text: string,
  wanted: Readonly<Record<string, JsonObject>>,
];
const PEM = "-----BEGIN KEY-----\nMIIE+/==\n-----END KEY-----\n";
const NAMES =
  '{"my-key":"1","spring.datasource.password":"2","2FA":"3","größe":"4","__proto__":"5"}';
const flat = (fields: JsonObject) => ({ "secret/data/app": fields });

const READ: readonly Read[] = [
  ["lines of a stream", "-", "A=1\nB={}\n", flat({ A: "1", B: "{}" })],
  ["an object of JSON in a stream", "-", '\n {"A":"1"}', flat({ A: "1" })],
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
  ["an escaped dollar is a dollar", ".env", `A="\\\${B}"`, flat({ A: `\${B}` })],
  ["a key in PEM between double quotes", ".env", `A="${PEM}"\nB=1`, flat({ A: PEM, B: "1" })],
  ["a key in PEM between single quotes", ".env", `A='${PEM}'`, flat({ A: PEM })],
  [
    "a key in PEM in one line",
    ".env",
    `export A="${PEM.replaceAll("\n", "\\n")}" # one line`,
    flat({ A: PEM }),
  ],
  ["CRLF between quotes is LF", ".env", 'A="a\r\nb"\r\nB=1\r\n', flat({ A: "a\nb", B: "1" })],
  ["a file that ends in CR", ".env", "A=1\r", flat({ A: "1" })],
  ["CR within a line", ".env", "A=a\rb\n#c\rd\n", flat({ A: "a\rb" })],
  [
    "line separators of Unicode, which end no line",
    ".env",
    "A=a\u2028b #\u2029\n",
    flat({ A: "a\u2028b" }),
  ],
  [
    "blanks around an equals sign",
    ".env",
    "A\t= \t1\nB =2\nC= 3",
    flat({ A: "1", B: "2", C: "3" }),
  ],
  ["blanks at the end", ".env", "A=1 \t\nB='2' \t\n", flat({ A: "1", B: "2" })],
  ["a quote within a value", ".env", "A=it's\nB=5\"", flat({ A: "it's", B: '5"' })],
  ["a # that begins a value", ".env", "A=#1\nB='#' #2", flat({ A: "#1", B: "#" })],
  ["a backslash without quotes", ".env", "A=C:\\new\\$x", flat({ A: "C:\\new\\$x" })],
  ["a backtick", ".env", "A=`id`", flat({ A: "`id`" })],
  [
    "names with dots, dashes and letters of any script",
    ".env",
    "my-key=1\nspring.datasource.password=2\n2FA=3\ngröße=4\n__proto__=5",
    { "secret/data/app": JSON.parse(NAMES) },
  ],
  [
    "a variable that is called export",
    ".env",
    "export=1\nexport export.b=2",
    flat({ export: "1", "export.b": "2" }),
  ],
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
      expect(parse(file, text)).toEqual({ ok: true, secrets });
    });
  }
  test("a flat file at a path of the caller's", () => {
    const parsed = parse(".env", "A=1", "kv/data/x");
    expect(parsed).toEqual({ ok: true, secrets: { "kv/data/x": { A: "1" } } });
  });
});

type Refused = readonly [
  name: string,
  file: string,
  text: string | Uint8Array,
  problems: readonly (readonly [line: number, message: string])[],
];

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const REFUSED: readonly Refused[] = [
  [
    "every bad line of a .env file",
    ".env",
    "A=1\nnonsense\n'A'=2\nA=3\nB=\"open\nC=4\nA = 5\n=6\nD E=7\nF: 8",
    [
      [2, "the line: must be NAME=VALUE or a comment"],
      [3, "the line: must be NAME=VALUE or a comment"],
      [4, "the name: is set in line 1 already"],
      [5, "the value: its quote is not closed"],
      [7, "the name: is set in line 1 already"],
      [8, "the line: must be NAME=VALUE or a comment"],
      [9, "the line: must be NAME=VALUE or a comment"],
      [10, "the line: must be NAME=VALUE or a comment"],
    ],
  ],
  [
    "text behind a quote",
    ".env",
    '\nA="1"x\nB=\'1\'"2"',
    [
      [2, "the value: has text behind its closing quote"],
      [3, "the value: has text behind its closing quote"],
    ],
  ],
  ["an open single quote", ".env", "A='1", [[1, "the value: its quote is not closed"]]],
  [
    "lines after values of several lines, by their own numbers",
    ".env",
    "A=\"a\nb\"\nnonsense\nB='c\n\nd'\nnonsense",
    [
      [3, "the line: must be NAME=VALUE or a comment"],
      [7, "the line: must be NAME=VALUE or a comment"],
    ],
  ],
  ["a NUL byte", ".env", "A=a\0b", [[1, "the value: has a NUL byte"]]],
  [
    "lines after a NUL byte",
    ".env",
    'A="a\0\nb"\nnonsense',
    [
      [1, "the value: has a NUL byte"],
      [3, "the line: must be NAME=VALUE or a comment"],
    ],
  ],
  [
    "lines that are not UTF-8, and all other problems",
    ".env",
    latin1("A=1\nB=\xe4\nnonsense\n# \xff\nC=\xc3\xa4\nD=\xc3\nE='x"),
    [
      [2, "the line: is not UTF-8"],
      [3, "the line: must be NAME=VALUE or a comment"],
      [4, "the line: is not UTF-8"],
      [6, "the line: is not UTF-8"],
      [7, "the value: its quote is not closed"],
    ],
  ],
  [
    "a last line that ends in the middle of a character",
    ".env",
    latin1("A=1\nB=\xe2\x82"),
    [[2, "the line: is not UTF-8"]],
  ],
  ["JSON that is not UTF-8", "s.json", latin1('{\n"a": "\xe4"}'), [[2, "the line: is not UTF-8"]]],
  ["YAML that is not UTF-8", "s.yaml", latin1("a: 1\nb: \xe4"), [[2, "the line: is not UTF-8"]]],
  ...[latin1("\xff\xfeA\0=\0"), latin1("\xfe\xff\0A\0=")].map(
    (text) => ["UTF-16", ".env", text, [[1, "the file: is UTF-16: save it as UTF-8"]]] as const,
  ),
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
      expect(parse(file, text)).toEqual({ ok: false, problems });
    });
  }
  test("and never quotes a value", () => {
    const texts = [
      [".env", 'A="s3cret'],
      [".env", 'A="x" s3cret'],
      [".env", "s3cret"],
      [".env", 'A="x\ns3cret="y" z\ns3cret=1\ns3cret=2'],
      [".env", "A=s3cret\0"],
      [".env", latin1("A=s3cret\xff")],
      ["s.json", '{"A": "s3cret'],
      ["s.yaml", "A: [s3cret"],
    ] as const;
    for (const [file, text] of texts) {
      const parsed = parse(file, text);
      expect(parsed.ok).toBe(false);
      expect(JSON.stringify(parsed)).not.toContain("s3cret");
    }
  });
});
