import { describe, expect, test } from "bun:test";
import { packagesIn, readPinnedPackages } from "./pinned-packages.ts";

const sha256 = "0123456789abcdef".repeat(4);

describe("packagesIn", () => {
  test("reads paths, sizes and digests, and sorts them", () => {
    const text = [
      `'http://archive.test/debian/pool/main/g/gcc/gcc_12%3a1_amd64.deb' gcc_1.deb 12 SHA256:${sha256}`,
      `'http://archive.test/debian/pool/main/a/acl/acl_1_all.deb' acl_1.deb 7 SHA256:${sha256}\n`,
    ];
    expect(packagesIn(text.join("\n"))).toEqual([
      { path: "pool/main/a/acl/acl_1_all.deb", bytes: 7, sha256 },
      { path: "pool/main/g/gcc/gcc_12%3a1_amd64.deb", bytes: 12, sha256 },
    ]);
  });

  for (const line of ["", "'x'", "'http://a.test/pool/a.deb' a.deb 7 MD5Sum:00"]) {
    test(`refuses ${JSON.stringify(line)}`, () => {
      expect(() => packagesIn(line)).toThrow("read a package");
    });
  }
});

test("the list has the compilers and the libraries of both machines, each once", () => {
  const names = readPinnedPackages().packages.map(({ path }) => path.replace(/^.*\//, ""));
  expect(new Set(names).size).toBe(names.length);
  const wanted = ["cargo-web_", "rustc-web_", "libc6-dev_", "libc6-dev-arm64-cross_"];
  for (const start of wanted) expect(names.some((name) => name.startsWith(start))).toBe(true);
  const standard = names.filter((name) => name.startsWith("libstd-rust-web-dev_"));
  expect(standard.map((name) => name.replace(/^.*_/, "")).sort()).toEqual([
    "amd64.deb",
    "arm64.deb",
  ]);
});
