import { describe, expect, test } from "bun:test";
import { parseRuntimePaths, wellKnownRuntimes } from "./runtime-paths.ts";

describe("parseRuntimePaths", () => {
  const taken: Readonly<Record<string, readonly string[]>> = {
    none: [],
    "/usr/bin/runc": ["/usr/bin/runc"],
    "/usr/bin/runc, /opt/my crun/crun": ["/usr/bin/runc", "/opt/my crun/crun"],
  };
  for (const [text, paths] of Object.entries(taken)) {
    test(`takes ${text}`, () => {
      expect(parseRuntimePaths(text)).toEqual({ ok: true, value: paths });
    });
  }

  const refused = {
    "a name": "runc",
    "a relative path": "usr/bin/runc",
    "a path that goes back": "/usr/../bin/runc",
    "an empty segment": "/usr//bin/runc",
    "a folder's slash": "/usr/bin/",
    "an empty item": "/usr/bin/runc,,/usr/bin/crun",
    "none among others": "/usr/bin/runc,none",
    "too many": Array.from({ length: 129 }, (_, index) => `/bin/${index}`).join(),
  };
  for (const [name, text] of Object.entries(refused)) {
    test(`refuses ${name}`, () => expect(parseRuntimePaths(text).ok).toBe(false));
  }
});

test("every well-known place is one that could be set, and is named once", () => {
  for (const path of wellKnownRuntimes) expect(parseRuntimePaths(path).ok).toBe(true);
  expect(new Set(wellKnownRuntimes).size).toBe(wellKnownRuntimes.length);
  expect(wellKnownRuntimes.length).toBeLessThanOrEqual(128);
});
