import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { compiledCrates, crateLicences } from "./engine-crates.ts";

const crate = (name: string, kind = "lib") => ({
  ...{ id: `id-${name}`, name, version: "1.0.0", license: "MIT", source: "registry" },
  ...{ manifest_path: `/crates/${name}/Cargo.toml`, targets: [{ kind: [kind] }] },
});
const needs = (
  name: string,
  ...others: readonly (readonly [name: string, kind: string | null])[]
) => ({
  id: `id-${name}`,
  deps: others.map(([other, kind]) => ({ pkg: `id-${other}`, dep_kinds: [{ kind }] })),
});

test("crates that are compiled in count, and those that build or test do not", () => {
  const packages = [
    { ...crate("svc-engine"), source: null },
    { ...crate("svc-network"), source: null },
    ...["url", "libc", "tempfile", "cc"].map((name) => crate(name)),
    ...[crate("macros", "proc-macro"), crate("syn")],
  ];
  const nodes = [
    needs("svc-engine", ["svc-network", null], ["tempfile", "dev"], ["cc", "build"]),
    needs("svc-network", ["url", null], ["macros", null]),
    needs("url", ["libc", null]),
    needs("macros", ["syn", null]),
  ];
  const found = compiledCrates({ packages, resolve: { nodes } });
  expect(found.map(({ name }) => name)).toEqual(["libc", "url"]);
  expect(found[1]).toEqual({
    ...{ name: "url", version: "1.0.0", licence: "MIT", folder: "/crates/url" },
  });
});

describe("crateLicences", () => {
  test("lists the crates, and has each text once, also one of a folder below", () => {
    using folder = temporaryFolder();
    const put = (path: string, text: string) => {
      mkdirSync(join(folder.path, path, ".."), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    };
    put("a/LICENSE-MIT", "the text\r\n");
    put("b/quickjs/LICENSE", "the\n  text\n");
    put("b/COPYING", "another");
    put("b/src.rs", "no licence");
    const crates = ["a", "b"].map((name) => {
      return { name, version: "1.0.0", licence: "MIT", folder: join(folder.path, name) };
    });
    const text = crateLicences(crates);
    expect(text).toContain("a 1.0.0: MIT\nb 1.0.0: MIT\n");
    expect(text).toContain("Of a 1.0.0, b 1.0.0:\n\nthe text\n");
    expect(text).toContain("Of b 1.0.0:\n\nanother\n");
    expect(text).not.toContain("no licence");
    expect(text).toEndWith("\n");
  });
});
