import { describe, expect, test } from "bun:test";
import { secretBytesFrom } from "@svc/secret-bytes";
import { closed, opened } from "../testdata/outcomes.ts";
import { fileFields } from "./file-fields.ts";

type Opened = Readonly<Record<string, string | null>>;

/** The fields of a file called `db`, in comparable form. */
function fieldsOf(text: string): { readonly fields: Opened; readonly whole?: Opened } | string {
  const read = fileFields("db", closed(text));
  if (typeof read === "string") return read;
  const fields = Object.fromEntries([...read.fields].map(([name, value]) => [name, opened(value)]));
  const { whole } = read;
  return whole === undefined
    ? { fields }
    : { fields, whole: { [whole.field]: opened(whole.value) } };
}

describe("a file without a JSON object is one field with its name", () => {
  const rows: readonly (readonly [name: string, text: string, value: string])[] = [
    ["a line", "hunter2\n", "hunter2"],
    ["a line of another system", "hunter2\r\n", "hunter2"],
    ["a text without a line end", "hunter2", "hunter2"],
    ["a text with white space that belongs to it", " a b \n\n", " a b \n"],
    [
      "a certificate",
      "-----BEGIN X-----\nAA==\n-----END X-----\n",
      "-----BEGIN X-----\nAA==\n-----END X-----",
    ],
    ["a JSON array", '["a"]', '["a"]'],
    ["a JSON text", '"a"', '"a"'],
    ["a number", "12", "12"],
    ["a text that only begins like JSON", "{not json", "{not json"],
    ["JSON that is cut off", '{"a":"b', '{"a":"b'],
    ["JSON with something behind it", '{"a":"b"}x', '{"a":"b"}x'],
    ["lines of variables", "A=1\nB=2\n", "A=1\nB=2"],
  ];
  for (const [name, text, value] of rows) {
    test(name, () => expect(fieldsOf(text)).toEqual({ fields: { db: value } }));
  }

  test("bytes that are not UTF-8", () => {
    const read = fileFields("key", secretBytesFrom(Uint8Array.of(0xff, 0x7b, 0x0a)));
    if (typeof read === "string") throw new TypeError(read);
    const target = new Uint8Array(3);
    expect(read.fields.get("key")?.writeTo(target)).toBe(2);
    expect([...target]).toEqual([0xff, 0x7b, 0]);
  });
});

describe("the members of a JSON object are its fields", () => {
  const rows: readonly (readonly [name: string, text: string, fields: Opened])[] = [
    ["texts", '{"user":"app","password":"x\\ny"}', { user: "app", password: "x\ny" }],
    [
      "other values as they are written",
      '{"port":5432,"tls":true,"a":[1.0]}',
      {
        ...{ port: "5432", tls: "true", a: "[1.0]" },
      },
    ],
    ["null as null", '{"a":null}', { a: null }],
    ["with white space around it", ' \n{ "a" : "b" }\n\n', { a: "b" }],
    ["none at all", "{}", {}],
  ];
  for (const [name, text, fields] of rows) {
    test(`${name}, and all of it is the field with the file's name`, () => {
      const whole = text.replace(/\n$/, "");
      expect(fieldsOf(text)).toEqual({ fields, whole: { db: whole } });
    });
  }
});

test("an object that names a key twice is refused", () => {
  expect(fieldsOf('{"a":"1","a":"2"}')).toBe("repeated key");
});

test("half of a surrogate pair is refused", () => {
  expect(fieldsOf('{"a":"\\ud800"}')).toBe("not well-formed Unicode");
});
