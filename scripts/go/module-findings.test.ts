import { describe, expect, test } from "bun:test";
import { moduleFindings } from "./module-findings.ts";

const sys = { Path: "golang.org/x/sys", Version: "v0.47.0" };

describe("the library's go.mod", () => {
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    ["may need x/sys", { Go: "1.25.0", Require: [sys], Replace: null }, []],
    ["may need nothing", { Go: "1.25", Require: null, Replace: null }, []],
    [
      "needs nothing else",
      { Go: "1.25.0", Require: [sys, { Path: "example.com/x" }] },
      ["requires example.com/x: only golang.org/x/sys may be"],
    ],
    [
      "replaces nothing",
      { Go: "1.25.0", Replace: [{ Old: sys, New: { Path: "../sys" } }] },
      ["has a replace directive: importers do not obey it"],
    ],
    ["needs no newer go", { Go: "1.26.0" }, ["needs go 1.26.0: the promise is 1.25"]],
    ["is not fooled by a prefix", { Go: "1.250" }, ["needs go 1.250: the promise is 1.25"]],
    [
      "names no toolchain",
      { Go: "1.25.0", Toolchain: "go1.26.8" },
      ["names the toolchain go1.26.8: must name none"],
    ],
    ["says which go", {}, ["needs go (none): the promise is 1.25"]],
  ];
  for (const [name, module, findings] of rows) {
    test(name, () => expect(moduleFindings(JSON.stringify(module))).toEqual(findings));
  }
});
