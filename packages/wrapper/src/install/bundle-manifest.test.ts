import { describe, expect, test } from "bun:test";
import { parseManifest } from "./bundle-manifest.ts";

const sha256 = "a".repeat(64);
const file = { path: "lib/ld.so", mode: "755", bytes: 3, sha256 };
const manifestOf = (...files: readonly object[]) => JSON.stringify({ version: "1", files });

test("a manifest gives its files with numbers for their modes", () => {
  const files = [{ path: "lib/ld.so", mode: 0o755, bytes: 3, sha256 }];
  expect(parseManifest(manifestOf(file))).toEqual({ version: "1", files });
});

describe("no manifest is", () => {
  const texts: Readonly<Record<string, string>> = {
    "another file": "ELF",
    "a list": "[]",
    "one without a version": JSON.stringify({ files: [file] }),
    "one without files": manifestOf(),
    "one of very many files": manifestOf(...Array.from({ length: 1001 }, () => file)),
    "one with an absolute path": manifestOf({ ...file, path: "/etc/passwd" }),
    "one with a path that leaves its folder": manifestOf({ ...file, path: "lib/../../x" }),
    "one with the folder itself as a path": manifestOf({ ...file, path: "." }),
    "one with an empty part of a path": manifestOf({ ...file, path: "lib//ld.so" }),
    "one with a mode that is set-user-ID": manifestOf({ ...file, mode: "4755" }),
    "one with a negative size": manifestOf({ ...file, bytes: -1 }),
    "one with a short hash": manifestOf({ ...file, sha256: "aa" }),
    "one in which the second file is wrong": manifestOf(file, {}),
  };
  test.each(Object.entries(texts))("%s", (_name, text) => {
    expect(parseManifest(text)).toBeUndefined();
  });
});
