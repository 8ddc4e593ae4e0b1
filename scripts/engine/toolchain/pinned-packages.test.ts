import { describe, expect, test } from "bun:test";
import { linkedPackages } from "./linked-packages.ts";
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

test("the list has the files that are linked into the wrapper of each machine, each once", () => {
  const { packages } = readPinnedPackages();
  expect(new Set(packages.map(({ path }) => path)).size).toBe(packages.length);
  const version = expect.stringMatching(/^[\d.]+/);
  expect(linkedPackages(packages, "x64")).toEqual({
    "libc6-dev": version,
    "libgcc-14-dev": version,
    "libstd-rust-web-dev": version,
  });
  expect(linkedPackages(packages, "arm64")).toEqual({
    "libc6-dev-arm64-cross": version,
    "libgcc-14-dev-arm64-cross": version,
    "libstd-rust-web-dev": version,
  });
  expect(() => linkedPackages([], "x64")).toThrow("find a library");
});
