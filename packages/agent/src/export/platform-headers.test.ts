import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { AgentError } from "../agent-error.ts";
import { readPlatformHeaders } from "./platform-headers.ts";

describe("a file of headers", () => {
  const rows: readonly (readonly [text: string, headers: Readonly<Record<string, string>>])[] = [
    ["", {}],
    ["# nothing\n\n", {}],
    ["Authorization: Bearer abc\n", { authorization: "Bearer abc" }],
    ["a:b", { a: "b" }],
    [
      "X-Scope-OrgID:  tenant 1 \r\nx-other: 2\r\n",
      { "x-scope-orgid": "tenant 1", "x-other": "2" },
    ],
    ["a: b: c", { a: "b: c" }],
  ];
  for (const [text, headers] of rows) {
    test(JSON.stringify(text), () => {
      expect(Object.fromEntries(read(text))).toEqual(headers);
    });
  }

  const refused: readonly (readonly [text: string, found: string])[] = [
    ["canary-value", 'line 1 is no "Name: value"'],
    ["a: b\nna me: canary-value", 'line 2 is no "Name: value"'],
    ["a: canary-value\u0007x", 'line 1 is no "Name: value"'],
    ["a:", 'line 1 is no "Name: value"'],
    ["a: é", 'line 1 is no "Name: value"'],
    ["a: ".padEnd(70_000, "x"), "more than 65536 bytes"],
  ];
  for (const [text, found] of refused) {
    test(`${JSON.stringify(text.slice(0, 30))}: ${found}, and nothing of it is shown`, () => {
      const message = refusalOf(() => read(text));
      expect(message).toContain(found);
      expect(message).not.toContain("canary-value");
    });
  }

  test("one that is not there is named", () => {
    expect(refusalOf(() => readPlatformHeaders("/nowhere/headers"))).toBe(
      "read headers from /nowhere/headers: ENOENT",
    );
  });
});

function read(text: string) {
  using folder = temporaryFolder();
  const path = join(folder.path, "headers");
  writeFileSync(path, text);
  return readPlatformHeaders(path);
}

function refusalOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof AgentError && error.code === "PLATFORM_HEADERS_UNUSABLE") {
      return error.message;
    }
    throw error;
  }
  throw new TypeError("it was not refused");
}
