import { expect, test } from "bun:test";
import { proseView } from "./prose-view.ts";

test.each([
  ["a line comment", "// Says why.\nlet x;", "Says why. \n"],
  ["a comment after code", "let x; // Says why.", "Says why. "],
  ["a block comment", "/**\n * One line,\n * and more.\n */\n", "\nOne line,\nand more.\n \n"],
  ["a comment in Rust", "//! The module.\n/// The item.\n", "The module. \nThe item. \n"],
  ["a test name", 'test("the agent reports a read", f);', "the agent reports a read! "],
  [
    "a text over several literals",
    'a("one two three four " +\n  "five six seven eight")',
    "one two three four \nfive six seven eight! ",
  ],
  ["a template", "x(`the file $" + "{path} has no lines`)", "the file Name has no lines! "],
  ["a short string", 'read("a b c", "/usr/bin/env sh")', ""],
  ["a script in a template", "run(`first do this here\nthen do that here`)", "\n"],
  ["a comment mark in a string", 'get("https://vault/x"); // The reason.', "The reason. "],
  ["a quote as a character", `'"'; // The reason.`, "The reason. "],
  ["two comments of rows", "0x01, /* mov r0 */\n0x02, /* bx lr */", "mov r0! \nbx lr! "],
  ["a tag", "/**\n * Reads it.\n * @returns the text\n */", "\nReads it.\n- returns the text!\n "],
  ["a table of options", "/*\n *   -e FILE  the input\n */", "\n- -e FILE  the input!\n "],
  ["a prototype", "// lseek(2): off_t lseek(int fd, off_t offset, int from)\n", "\n"],
  ["a directive", "//go:build linux\n// biome-ignore lint: needed\n", "\n\n"],
])("the view of %s", (_, source, view) => {
  expect(proseView(source)).toBe(view);
});

test("a text in single quotes is a string of TypeScript only", () => {
  const source = "run('for f in *; do x \"$f\"; done'); // The reason.";
  expect(proseView(source, "typescript")).toContain("The reason.");
  expect(proseView("fn f<'a>(x: &'a str) {} // The reason.")).toBe("The reason. ");
});
