import { describe, expect, test } from "bun:test";
import type { Failure } from "../errors.ts";
import type { SecretMapping } from "../settings.ts";
import { closed, field, opened, read, source, unread } from "../testdata/outcomes.ts";
import { fieldNames, mapFields } from "./map-fields.ts";

const PATH = "secret/data/app";
const every = (prefix: string): SecretMapping => ({ kind: "every", prefix });
const sole: SecretMapping = { kind: "sole", variable: "V" };
const reservedHint = "give the names another prefix with *=PREFIX_*";
const refusedName = (shown: string, why: string): Failure => ({
  code: "VARIABLE_REFUSED",
  message: `deliver field ${shown} of ${PATH}: the name ${why}`,
  hint: "rename the field, or name the fields one by one: field=VARIABLE for *",
});

describe("mapFields", () => {
  const rows: readonly (readonly [
    name: string,
    mappings: readonly SecretMapping[],
    fields: Readonly<Record<string, string | null>>,
    variables: Readonly<Record<string, string | null>>,
  ])[] = [
    ["renames a field", [field("a", "A")], { a: "1", b: "2" }, { A: "1" }],
    [
      "delivers one field twice",
      [field("a", "A"), field("a", "B")],
      { a: "1" },
      { A: "1", B: "1" },
    ],
    ["keeps an empty value", [field("a", "A")], { a: "" }, { A: "" }],
    ["hands null on", [field("a", "A")], { a: null }, { A: null }],
    ["takes every field", [every("")], { a: "1", B_2: "2" }, { a: "1", B_2: "2" }],
    [
      "takes every field with a prefix",
      [every("P_")],
      { a: "1", "2b": "2" },
      { P_a: "1", P_2b: "2" },
    ],
    [
      "takes every field that a variable can be called",
      [every("")],
      {
        "my-key": "1",
        "spring.datasource.password": "2",
        "2FA": "3",
        "größe m": "4",
        "a,b;*": "5",
      },
      {
        "my-key": "1",
        "spring.datasource.password": "2",
        "2FA": "3",
        "größe m": "4",
        "a,b;*": "5",
      },
    ],
    ["takes nothing of a secret without fields", [every("")], {}, {}],
    ["takes the field value of several", [sole], { value: "1", other: "2" }, { V: "1" }],
    ["takes the only field, with any name", [sole], { password: "1" }, { V: "1" }],
  ];
  for (const [name, mappings, fields, variables] of rows) {
    test(name, () => {
      const failures: Failure[] = [];
      const mapped = mapFields([source(PATH, ...mappings)], [read(PATH, fields)], failures);
      const texts = mapped.map(({ variable, value }) => [variable, opened(value)]);
      expect(Object.fromEntries(texts)).toEqual(variables);
      expect(failures).toEqual([]);
    });
  }

  const refusals: readonly (readonly [
    name: string,
    mapping: SecretMapping,
    fields: Readonly<Record<string, string>>,
    failure: Pick<Failure, "code" | "message"> & Partial<Failure>,
  ])[] = [
    [
      "names path, variable and the fields that are there",
      field("c", "C"),
      { a: "canary", b: "canary" },
      { code: "FIELD_MISSING", message: `deliver C: ${PATH} has no field "c": it has "a", "b"` },
    ],
    [
      "sees that the two sides of a mapping are exchanged",
      field("DB_PASSWORD", "db-password"),
      { "db-password": "canary" },
      {
        code: "FIELD_MISSING",
        message: `deliver db-password: ${PATH} has no field "DB_PASSWORD": it has "db-password"`,
        hint: "the field stands first: field=VARIABLE",
      },
    ],
    [
      "says that there are no fields at all",
      field("c", "C"),
      {},
      { code: "FIELD_MISSING", message: `deliver C: ${PATH} has no field "c": it has no fields` },
    ],
    [
      "does not choose among several fields",
      sole,
      { a: "canary", b: "canary" },
      {
        code: "FIELD_MISSING",
        message: `deliver V: ${PATH} has no field "value": it has "a", "b"`,
      },
    ],
    [
      "refuses a field with an equals sign",
      every(""),
      { "a=b": "canary" },
      refusedName('"a=b"', "holds ="),
    ],
    ["refuses a field without a name", every(""), { "": "canary" }, refusedName('""', "is empty")],
    [
      "refuses a field that would forge a line",
      every("P_"),
      { "a\nb": "canary" },
      refusedName('"a\\nb"', "holds a control character, or half of a surrogate pair"),
    ],
    [
      "refuses a field that bash would make a function of",
      every(""),
      { "BASH_FUNC_ls%%": "canary" },
      { ...refusedName('"BASH_FUNC_ls%%"', "is reserved"), hint: reservedHint },
    ],
    [
      "refuses a field that would steer the dynamic loader",
      every("LD_"),
      { PRELOAD: "canary" },
      {
        code: "VARIABLE_REFUSED",
        message: `deliver field "PRELOAD" of ${PATH}: the name is reserved`,
        hint: reservedHint,
      },
    ],
  ];
  for (const [name, mapping, fields, expected] of refusals) {
    test(name, () => {
      const failures: Failure[] = [];
      expect(mapFields([source(PATH, mapping)], [read(PATH, fields)], failures)).toEqual([]);
      expect(failures).toEqual([expect.objectContaining(expected)]);
    });
  }

  test("maps each source from its own outcome, and skips failed reads", () => {
    const failures: Failure[] = [];
    const sources = [
      source("a", field("x", "A")),
      source("b", field("x", "B")),
      source("c", every("C_")),
    ];
    const outcomes = [read("a", { x: "1" }), unread("b"), read("c", { x: "3" })];
    const mapped = mapFields(sources, outcomes, failures);
    expect(mapped.map((it) => ({ ...it, value: opened(it.value) }))).toEqual([
      { path: "a", field: "x", variable: "A", value: "1" },
      { path: "c", field: "x", variable: "C_x", value: "3" },
    ]);
    expect(failures).toEqual([]);
  });
});

describe("the name of a JSON file", () => {
  const whole = { field: "app.json", value: closed("all of it") };
  const file = (fields: Readonly<Record<string, string | null>>) => {
    const values = Object.entries(fields).map(([name, value]) => {
      return [name, value === null ? null : closed(value)] as const;
    });
    return { ok: true, secret: { path: "/run/app.json", fields: new Map(values), whole } } as const;
  };
  const mapped = (fields: Readonly<Record<string, string | null>>, mapping: SecretMapping) => {
    const failures: Failure[] = [];
    const found = mapFields([source("/run/app.json", mapping)], [file(fields)], failures);
    return [found.map(({ value }) => opened(value)), failures.map(({ hint }) => hint)];
  };

  test("is all of the file", () => {
    expect(mapped({ a: "1" }, field("app.json", "ALL"))).toEqual([["all of it"], []]);
  });

  test("is a member, if one has that name, also null", () => {
    expect(mapped({ "app.json": "1" }, field("app.json", "V"))).toEqual([["1"], []]);
    expect(mapped({ "app.json": null }, field("app.json", "V"))).toEqual([[null], []]);
  });

  test("is not among all fields", () => {
    expect(mapped({ a: "1" }, every(""))).toEqual([["1"], []]);
  });

  test("is named if a member is missing", () => {
    const hint = 'the file is a JSON object: all of it is the field "app.json"';
    expect(mapped({ a: "1", b: "2" }, field("c", "C"))).toEqual([[], [hint]]);
  });
});

describe("fieldNames", () => {
  const rows: readonly (readonly [name: string, fields: readonly string[], text: string])[] = [
    ["says that there are none", [], "it has no fields"],
    ["quotes names", ["a b", 'c"'], 'it has "a b", "c\\""'],
    ["escapes text that could forge a line", ["a\nb"], 'it has "a\\nb"'],
    ["cuts a long name", ["x".repeat(100)], `it has "${"x".repeat(80)}"`],
  ];
  for (const [name, fields, text] of rows) {
    test(name, () => {
      expect(fieldNames(new Map(fields.map((key) => [key, closed("canary")])))).toBe(text);
    });
  }

  test("stops after 20 names and says that there are more", () => {
    const fields = new Map(Array.from({ length: 21 }, (_, index) => [`f${index}`, null]));
    expect(fieldNames(fields)).toEndWith(', "f19", …');
  });
});
