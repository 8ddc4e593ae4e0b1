import { describe, expect, test } from "bun:test";
import { moduleCircles } from "./module-circles.ts";
import type { SourceFile } from "./source-file.ts";

const file = (path: string, text: string): SourceFile => ({
  path: `engine/host/src/${path}`,
  name: path.split("/").at(-1) ?? "",
  text,
});

describe("modules", () => {
  const rows: readonly (readonly [
    name: string,
    files: readonly SourceFile[],
    finds: readonly string[],
  ])[] = [
    ["that use each other one way are fine", [file("a.rs", "use crate::b;"), file("b.rs", "")], []],
    [
      "that use each other by way of a third are refused",
      [
        file("a.rs", "use crate::b;"),
        file("b/mod.rs", "mod inner;\nuse inner::X;"),
        file("b/inner.rs", "fn f() { crate::a::g() }"),
      ],
      ["a.rs", "b/mod.rs", "b/inner.rs"],
    ],
    [
      "that use their parent, which uses them, are refused",
      [file("a.rs", "mod b;\nfn f() { b::g() }"), file("a/b.rs", "use super::X;")],
      ["a.rs", "a/b.rs"],
    ],
    [
      "that their parent passes on are fine",
      [file("a.rs", "mod b;\npub use b::Y;"), file("a/b.rs", "use super::X;")],
      [],
    ],
    [
      "behind a name that their parent passes on are found",
      [
        file("a.rs", "mod b;\npub use b::Y;"),
        file("a/b.rs", "use crate::c;"),
        file("c.rs", "use crate::a::Y;"),
      ],
      ["a/b.rs", "c.rs"],
    ],
    [
      "that use the crate's root, which uses them, are refused",
      [file("lib.rs", "mod a;\nfn f() { a::g() }"), file("a.rs", "fn g() { crate::f() }")],
      ["a.rs", "lib.rs"],
    ],
    [
      "of another crate do not count",
      [
        file("a.rs", "use svc_network::b;"),
        { path: "engine/network/src/b.rs", name: "b.rs", text: "use crate::a;" },
      ],
      [],
    ],
  ];
  for (const [name, files, circle] of rows) {
    test(name, () => {
      const paths = circle.map((path) => `engine/host/src/${path}`);
      const text = `circle of modules: ${[...paths, paths[0]].join("\n  uses ")}`;
      expect(moduleCircles(files)).toEqual(circle.length === 0 ? [] : [text]);
    });
  }
});
