import type { SecretBackend, SecretBytes, SecretJson } from "../src/secret-bytes.ts";

/** One promise of the interface, with plain data on both sides. */
export interface SecretRow {
  readonly name: string;
  readonly actual: (backend: SecretBackend) => unknown;
  readonly expected: unknown;
}

/**
 * All that a backend promises, except for reading files and printing. It needs nothing of Bun's, so
 * that it runs on every runtime.
 */
export const secretTable: readonly SecretRow[] = [
  ...bytesRows(),
  ...trimRows(),
  ...lineEndRows(),
  ...maskRows(),
  ...deliveredRows(),
  ...shapeRows(),
  ...refusedRows(),
  ...hmacRows(),
];

type Row = readonly [name: string, actual: (secret: SecretBytes) => unknown, expected: unknown];

function bytesRows(): readonly SecretRow[] {
  const rows: readonly Row[] = [
    ["counts bytes and not letters", ({ length }) => length, 8],
    ["finds a byte", (it) => it.includes(0x61), true],
    ["does not find a byte that is not there", (it) => it.includes(0), false],
    ["begins with its first bytes", (it) => it.startsWith("aö"), true],
    ["begins with nothing", (it) => it.startsWith(""), true],
    ["begins with all of itself", (it) => it.startsWith("aö🌍b"), true],
    ["does not begin with more", (it) => it.startsWith("aö🌍bc"), false],
    ["does not begin with a text further on", (it) => it.startsWith("b"), false],
    ["equals its text", (it) => it.equals("aö🌍b"), true],
    ["does not equal a part", (it) => it.equals("aö🌍"), false],
    ["does not equal more", (it) => it.equals("aö🌍bb"), false],
    ["names the first byte that is not visible ASCII", (it) => it.firstInvisible(), 1],
    ["is UTF-8", (it) => it.isUtf8(), true],
    ["gives its text", (it) => it.open([]), "aö🌍b"],
    ["writes its bytes to the start of longer memory", written, [97, 195, 182, 240, 8]],
  ];
  return [
    ...rows.map(([name, actual, expected]) => row(name, "aö🌍b", actual, expected)),
    row("nothing has no length", "", ({ length }) => length, 0),
    row("nothing equals the empty text", "", (it) => it.equals(""), true),
    row("visible ASCII has no other byte", "!~", (it) => it.firstInvisible(), -1),
    row("a blank is not a visible byte", "ab c", (it) => it.firstInvisible(), 2),
    row("DEL is not a visible byte", "\u007f", (it) => it.firstInvisible(), 0),
    row("a NUL is found", "a\0b", (it) => it.includes(0), true),
    row("memory that is too short is refused", "abc", refusesShortMemory, "RangeError"),
    ofBytes("bytes that are not UTF-8 are recognised", [0x61, 0xff], (it) => it.isUtf8(), false),
    ofBytes("an encoded surrogate is not UTF-8", [0xed, 0xa0, 0x80], (it) => it.isUtf8(), false),
    ofBytes("no text is made of other bytes", [0xff], (it) => it.open([]) === undefined, true),
    ofBytes("a byte order mark stays", [0xef, 0xbb, 0xbf, 0x61], (it) => it.open([]), "\ufeffa"),
    { name: "bytes are copied", actual: copies, expected: "abc" },
  ];
}

function trimRows(): readonly SecretRow[] {
  const rows: readonly (readonly [name: string, text: string, trimmed: string])[] = [
    ["a newline at the end", "abc\n", "abc"],
    ["white space at both ends", " \t\r\n\v\fa b\u00a0\u2028\u3000", "a b"],
    ["a byte order mark", "\ufeffabc", "abc"],
    ["nothing but white space", " \n", ""],
    ["no white space", "abc", "abc"],
    // White space to C, and not to ECMAScript.
    ["a zero width space", "\u200babc", "\u200babc"],
    ["a next line", "\u0085abc", "\u0085abc"],
  ];
  return [
    ...rows.map(([name, text, trimmed]) =>
      row(`trims ${name}`, text, (it) => it.trimmed().open([]), trimmed),
    ),
    ofBytes("keeps bytes that are not UTF-8", [0x20, 0xff], (it) => it.trimmed().length, 2),
  ];
}

function lineEndRows(): readonly SecretRow[] {
  const rows: readonly (readonly [name: string, text: string, rest: string])[] = [
    ["a line feed", "abc\n", "abc"],
    ["a carriage return with it", "abc\r\n", "abc"],
    ["only the last of two", " abc \n\n", " abc \n"],
    ["no carriage return alone", "abc\r", "abc\r"],
    ["nothing from a value without one", "abc", "abc"],
    ["all of a line end", "\r\n", ""],
    ["nothing from no bytes", "", ""],
  ];
  return [
    ...rows.map(([name, text, rest]) =>
      row(`takes ${name} off the end`, text, (it) => it.withoutLineEnd().open([]), rest),
    ),
    ofBytes("takes it off other bytes", [0xff, 0x0a], (it) => it.withoutLineEnd().length, 1),
  ];
}

function maskRows(): readonly SecretRow[] {
  const rows: readonly (readonly [
    name: string,
    text: string,
    masked: readonly string[],
    shown: string,
  ])[] = [
    ["every occurrence", "hvs.a, hvs.a", ["hvs.a"], "[secret], [secret]"],
    ["several secrets", "hvs.a x.y.z", ["hvs.a", "x.y.z"], "[secret] [secret]"],
    ["no secret of three bytes", "abc", ["abc"], "abc"],
    ["a secret of four bytes", "abcd", ["abcd"], "[secret]"],
    ["a longer one before its beginning", "abcd.efgh", ["abcd", "abcd.efgh"], "[secret]"],
    ["no pattern", "a.*$&d", ["a.*$"], "[secret]&d"],
    ["nothing for no secrets", "hvs.a", [], "hvs.a"],
  ];
  return rows.map(([name, text, masked, shown]) => ({
    name: `masks ${name}`,
    actual: (backend) => secretOf(backend, text).open(masked.map((it) => secretOf(backend, it))),
    expected: shown,
  }));
}

/** A field, and how it is delivered. */
function deliveredRows(): readonly SecretRow[] {
  const rows: readonly (readonly [source: string, delivered: string])[] = [
    ["1.0", "1.0"],
    ["12345678901234567890", "12345678901234567890"],
    ["1e3", "1e3"],
    ["1E+3", "1E+3"],
    ["-0", "-0"],
    ["1e400", "1e400"],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["true", "true"],
    ["false", "false"],
    ["null", "null"],
    ['""', ""],
    ['"1.0"', "1.0"],
    ['"line\\nline\\ttab\\/\\"\\\\"', 'line\nline\ttab/"\\'],
    ['"\\u0000"', "\0"],
    ['"\\u00f6 \\ud83d\\udd11"', "ö 🔑"],
    ['"größe 🔑"', "größe 🔑"],
    ['"\\ufeffx"', "\ufeffx"],
    ['{ "a" : [ 1.50 , null, "x" ] }', '{"a":[1.50,null,"x"]}'],
    ['{"b":1,"a":{"d":[],"c":{}}}', '{"b":1,"a":{"d":[],"c":{}}}'],
    ['{"__proto__": 12345678901234567890}', '{"__proto__":12345678901234567890}'],
    ['["\\u0041\\/\\u00f6\\u001f\\u007f"]', '["A/ö\\u001f\u007f"]'],
    ['["\\b\\f\\n\\r\\t\\u0000"]', '["\\b\\f\\n\\r\\t\\u0000"]'],
    ['["\\u2028"]', '["\u2028"]'],
    ['["\\ud800"]', '["\\ud800"]'],
    ["[]", "[]"],
  ];
  return rows.flatMap(([source, delivered]) => [
    ofField(`delivers ${source}`, source, (it) => it?.bytes().open([]), delivered),
    ofField(`opens ${source} alike`, source, (it) => it?.open(), delivered),
  ]);
}

function shapeRows(): readonly SecretRow[] {
  const kinds: readonly (readonly [source: string, kind: SecretJson["kind"]])[] = [
    ["{}", "object"],
    ["[]", "array"],
    ['"1"', "string"],
    ["1", "number"],
    ["true", "boolean"],
    ["null", "null"],
  ];
  const object = '{"b":1,"__proto__":2,"a":{"x":3}}';
  const wellFormed: readonly (readonly [source: string, wellFormed: boolean])[] = [
    ['"\\ud83d\\udd11"', true],
    ['"\\ud800"', false],
    ['"\\udd11\\ud83d"', false],
    ['{"a":["\\ud800"]}', false],
    ['{"\\ud800":1}', false],
    ['{"a":[1,null,"x"]}', true],
    ['"\\\\ud800"', true],
  ];
  return [
    ...kinds.map(([source, kind]) => ofField(`${source}: ${kind}`, source, (it) => it?.kind, kind)),
    ofField("has the names of an object", object, (it) => it?.keys(), ["b", "__proto__", "a"]),
    ofField("has a name after unescaping", '{"\\u0061":1}', (it) => it?.keys(), ["a"]),
    ofField("finds a member", object, (it) => it?.member("b")?.open(), "1"),
    ofField("finds one that prototypes have", object, (it) => it?.member("__proto__")?.open(), "2"),
    ofField("finds a nested one", object, (it) => it?.member("a")?.member("x")?.open(), "3"),
    ofField("finds no other", object, (it) => it?.member("toString") === undefined, true),
    ofField("has the items of an array", '[1,"x"]', (it) => it?.items().map(opened), ["1", "x"]),
    ofField("has no names for an array", "[1]", (it) => it?.keys(), []),
    ofField("has no members for an array", "[1]", (it) => it?.member("0") === undefined, true),
    ofField("has no items for an object", "{}", (it) => it?.items(), []),
    ...wellFormed.map(([source, expected]) =>
      ofField(
        `${source} is well-formed: ${expected}`,
        source,
        (it) => it?.isWellFormed(),
        expected,
      ),
    ),
  ];
}

function refusedRows(): readonly SecretRow[] {
  const deep = "[".repeat(100_000);
  const notJson = ["", "{", "canary", '{"a":01}', "{}{}", "{'a':1}", '{"a":1,}', "\ufeff{}", "NaN"];
  const repeated = [
    '{"a":1,"a":2}',
    '{"a":1 , "a" : 1}',
    '{"a":1,"b":{},"a":2}',
    '{"x":{"y":[{"a":1,"a":1}]}}',
    '[{"a":1},{"b":1,"b":2}]',
    '{"a":1,"\\u0061":2}',
    '{"a\\"":1,"a\\"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
    '{"a":"}","a":"{"}',
  ];
  const unrepeated = [
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1},"a","a"]',
    '{"a":"\\"a\\":1","b":"a\\\\","A":1}',
    '{"a":["a","a",{"a":"a"}],"b":"\\\\\\""}',
  ];
  return [
    ...notJson.map((text) => row(`is no JSON: ${text}`, text, (it) => it.parseJson(), "not JSON")),
    row("is not JSON: arrays without end", deep, (it) => it.parseJson(), "not JSON"),
    ofBytes("is no JSON: not UTF-8", [0x22, 0xff, 0x22], (it) => it.parseJson(), "not JSON"),
    ...repeated.map((text) =>
      row(`has a key twice: ${text}`, text, (it) => it.parseJson(), "repeated key"),
    ),
    ...unrepeated.map((text) =>
      row(`has no key twice: ${text}`, text, (it) => typeof it.parseJson(), "object"),
    ),
  ];
}

/** RFC 4231, test cases 1, 2 and 6: a short key, and one that is longer than a block. */
function hmacRows(): readonly SecretRow[] {
  const long = "Test Using Larger Than Block-Size Key - Hash Key First";
  const rows: readonly (readonly [key: Uint8Array, data: string, digest: string])[] = [
    [
      new Uint8Array(20).fill(0x0b),
      "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ],
    [
      new TextEncoder().encode("Jefe"),
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [
      new Uint8Array(131).fill(0xaa),
      long,
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
  ];
  return rows.flatMap(([key, data, expected]) => [
    {
      name: `HMAC of a text: ${data}`,
      actual: ({ hmacSha256 }: SecretBackend) => hmacSha256(key, [data]),
      expected,
    },
    {
      name: `HMAC of a text and a secret: ${data}`,
      actual: (backend: SecretBackend) =>
        backend.hmacSha256(key, [data.slice(0, 3), secretOf(backend, data.slice(3))]),
      expected,
    },
  ]);
}

function row(
  name: string,
  text: string,
  actual: (secret: SecretBytes) => unknown,
  expected: unknown,
): SecretRow {
  return { name, actual: (backend) => actual(secretOf(backend, text)), expected };
}

function ofBytes(
  name: string,
  bytes: readonly number[],
  actual: (secret: SecretBytes) => unknown,
  expected: unknown,
): SecretRow {
  const from = (backend: SecretBackend) => backend.secretBytesFrom(Uint8Array.from(bytes));
  return { name, actual: (backend) => actual(from(backend)), expected };
}

function ofField(
  name: string,
  source: string,
  actual: (field: SecretJson | undefined) => unknown,
  expected: unknown,
): SecretRow {
  return row(`a field ${name}`, `{"field":${source}}`, (it) => actual(fieldOf(it)), expected);
}

function fieldOf(secret: SecretBytes): SecretJson | undefined {
  const json = secret.parseJson();
  return typeof json === "string" ? undefined : json.member("field");
}

function secretOf(backend: SecretBackend, text: string): SecretBytes {
  return backend.secretBytesFrom(new TextEncoder().encode(text));
}

function opened(json: SecretJson): string {
  return json.open();
}

/** The first bytes that were written, and how many were said to be. */
function written(secret: SecretBytes): readonly number[] {
  const target = new Uint8Array(9);
  const length = secret.writeTo(target);
  return [...target.subarray(0, 4), length];
}

function refusesShortMemory(secret: SecretBytes): string {
  try {
    secret.writeTo(new Uint8Array(2));
  } catch (error) {
    return error instanceof RangeError ? "RangeError" : "another error";
  }
  return "no error";
}

function copies(backend: SecretBackend): string | undefined {
  const bytes = new TextEncoder().encode("abc");
  const secret = backend.secretBytesFrom(bytes);
  bytes.fill(0);
  return secret.open([]);
}
