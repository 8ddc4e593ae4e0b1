import { describe, expect, test } from "bun:test";
import { dumpsStack } from "./core-dumps.ts";

const limits = (soft: string) => `Limit Soft Hard Units
Max cpu time              unlimited            unlimited            seconds
Max core file size        ${soft.padEnd(20)} unlimited            bytes
`;
const usual = { filter: "00000033\n", limits: limits("unlimited"), pattern: "core\n" };

describe("dumpsStack", () => {
  const rows: readonly (readonly [name: string, rules: typeof usual, dumped: boolean])[] = [
    ["without a limit", usual, true],
    ["with a limit of some bytes", { ...usual, limits: limits("4096") }, true],
    ["with a limit of 0", { ...usual, limits: limits("0") }, false],
    [
      "with a limit of 0 and a program that takes dumps",
      { ...usual, limits: limits("0"), pattern: "|/usr/lib/systemd/systemd-coredump %P" },
      true,
    ],
    [
      "with a limit of 0 and a socket that takes dumps",
      { ...usual, limits: limits("0"), pattern: "@/run/coredump.socket\n" },
      true,
    ],
    ["with a filter that leaves anonymous pages out", { ...usual, filter: "00000032\n" }, false],
    [
      "with such a filter and a program that takes dumps",
      { ...usual, filter: "00000000\n", pattern: "|/bin/x" },
      false,
    ],
  ];
  for (const [name, rules, dumped] of rows) {
    test(`is ${dumped} ${name}`, () => expect(dumpsStack(rules)).toBe(dumped));
  }
});
