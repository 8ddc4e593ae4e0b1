import { describe, expect, test } from "bun:test";
import { WrapperError } from "../errors.ts";
import type { SecretSource } from "../settings.ts";
import { closed, field, opened, read, secretSettings } from "../testdata/outcomes.ts";
import { resolveSecrets } from "./resolve-secrets.ts";
import { secretsState } from "./secrets-state.ts";

const file = (name: string, more = {}) => {
  return { field: name, path: `/run/app/${name}`, mode: 0o400, base64: false, ...more };
};
const sourceOf = (...files: readonly ReturnType<typeof file>[]): SecretSource => {
  return { path: "app", mappings: [], files };
};

describe("resolveSecrets", () => {
  test("gives files alone, in the order of the map, also with a NUL byte", () => {
    const settings = secretSettings([sourceOf(file("b"), file("a"))]);
    const { entries, files } = resolveSecrets(settings, [read("app", { a: "1\0", b: "" })]);
    expect(entries).toEqual([]);
    expect(files.map((one) => [one.file.path, opened(one.value), one.path])).toEqual([
      ["/run/app/b", "", "app"],
      ["/run/app/a", "1\0", "app"],
    ]);
  });

  test("finds all of a file, beside its members", () => {
    const settings = secretSettings([sourceOf(file("app.json"), file("user"))]);
    const outcome = read("app", { user: "u" });
    if (!outcome.ok) throw new TypeError("it was read");
    const whole = { field: "app.json", value: closed('{"user":"u"}') };
    const secret = { ...outcome.secret, whole };
    const { files } = resolveSecrets(settings, [{ ok: true, secret }]);
    expect(files.map(({ value }) => opened(value))).toEqual(['{"user":"u"}', "u"]);
  });

  const mib = "x".repeat(1 << 20);
  const rows: readonly (readonly [
    name: string,
    source: SecretSource,
    fields: Readonly<Record<string, string | null>>,
    failures: readonly string[],
  ])[] = [
    [
      "names every missing field and null together",
      sourceOf(file("a"), file("b")),
      { b: null },
      [
        'FIELD_MISSING: deliver /run/app/a: app has no field "a": it has "b"',
        'VALUE_REFUSED: deliver /run/app/b from field "b" of app: the value is null',
      ],
    ],
    [
      "refuses a reference",
      sourceOf(file("a")),
      { a: "vault:secret/data/x" },
      ['VALUE_REFUSED: deliver /run/app/a from field "a" of app: the value is still a reference'],
    ],
    [
      "refuses a file of more than 1 MiB",
      sourceOf(file("a")),
      { a: `${mib}x` },
      ['VALUE_REFUSED: deliver /run/app/a from field "a" of app: the file is larger than 1 MiB'],
    ],
    [
      "refuses too much together",
      sourceOf(...["a", "b", "c", "d", "e", "f"].map((name) => file(name))),
      { a: mib, b: mib, c: mib, d: mib, e: mib, f: mib },
      ["VALUE_REFUSED: deliver the files: together they have more than 4 MiB"],
    ],
    [
      "refuses a variable that * gives, too",
      { ...sourceOf(file("a", { variable: "P_a" })), mappings: [{ kind: "every", prefix: "P_" }] },
      { a: "1" },
      [
        'VARIABLE_DUPLICATE: deliver P_a from field "a" of app: SVC_FILE_MAP gives that variable the path /run/app/a',
      ],
    ],
  ];
  for (const [name, source, fields, failures] of rows) {
    test(name, () => {
      const resolve = () => resolveSecrets(secretSettings([source]), [read("app", fields)]);
      expect(failuresOf(resolve)).toEqual([...failures]);
    });
  }
});

test("the digest changes with the content of a file", () => {
  const key = new Uint8Array(32).fill(7);
  const source = { ...sourceOf(file("a")), mappings: [field("b", "B")] };
  const digestOf = (a: string) => {
    const outcomes = [read("app", { a, b: "1" })];
    const resolved = resolveSecrets(secretSettings([source]), outcomes);
    return secretsState({ sources: [source], outcomes, ...resolved }, key).digest;
  };
  expect(digestOf("1")).toBe(digestOf("1"));
  expect(digestOf("1")).not.toBe(digestOf("2"));
});

function failuresOf(action: () => unknown): readonly string[] {
  try {
    action();
  } catch (error) {
    if (!(error instanceof WrapperError)) throw error;
    return error.failures.map(({ code, message }) => `${code}: ${message}`);
  }
  throw new Error("expected a WrapperError, got a result");
}
