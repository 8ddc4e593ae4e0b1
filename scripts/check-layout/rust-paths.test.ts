import { describe, expect, test } from "bun:test";
import { rustPaths } from "./rust-paths.ts";

describe("the paths in Rust code", () => {
  const rows: readonly (readonly [name: string, text: string, used: readonly string[]])[] = [
    ["of a use are found", "use crate::a::B;", ["crate::a::B"]],
    [
      "in braces are found one by one",
      "use super::{\n    a::{self, B},\n    c,\n};",
      ["super::a", "super::a::B", "super::c"],
    ],
    ["keep their names if the code gives another", "use crate::a::B as C;", ["crate::a::B"]],
    ["in an expression are found", "fn f() { super::a::b(c::D) }", ["super::a::b", "c::D"]],
    ["of a pub use are not used", "pub use a::B;\npub(crate) use c::D;", []],
    ["in a comment do not count", "// crate::a\n/// [`B`](crate::b)\n", []],
    ["of tests do not count", "#[cfg(test)]\nmod tests {\n    use super::a;\n}", []],
  ];
  for (const [name, text, used] of rows) {
    test(name, () =>
      expect(rustPaths(text).used.map((path) => path.join("::"))).toEqual([...used]),
    );
  }

  test("of a pub use are passed on", () => {
    expect(rustPaths("pub use a::{B, C};").passedOn).toEqual([
      ["a", "B"],
      ["a", "C"],
    ]);
  });
});
