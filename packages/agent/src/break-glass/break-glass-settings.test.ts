import { describe, expect, test } from "bun:test";
import { breakGlassHelp, parseBreakGlassCommand } from "./break-glass-settings.ts";

const parse = (words: readonly string[], environment = {}) =>
  parseBreakGlassCommand(words, new Map(Object.entries(environment)));

describe("the words behind break-glass ask", () => {
  const rows = [
    [["--reason", "a driver"], { ask: "open", seconds: 900, reason: "a driver" }],
    [["--reason= a driver ", "--for=90s"], { ask: "open", seconds: 90, reason: "a driver" }],
    [["--reason=x", "--for=1500ms"], { ask: "open", seconds: 2, reason: "x" }],
    [["--reason=x", "--close"], { ask: "close", reason: "x" }],
    [["--reason=x", "--remove"], { ask: "remove", reason: "x" }],
    [["--reason=x", "--close=false"], { ask: "open", seconds: 900, reason: "x" }],
  ] as const;
  for (const [words, request] of rows) {
    test(words.join(" "), () => {
      expect(parse(words)).toMatchObject({ kind: "request", request });
    });
  }

  test("the agent at the socket of ADMIN_SOCKET_PATH", () => {
    const environment = { ADMIN_SOCKET_PATH: "/run/other.sock" };
    expect(parse(["--reason=x"], environment)).toMatchObject({ socketPath: "/run/other.sock" });
  });

  test("for help, which names each flag", () => {
    expect(parse(["--help"])).toEqual({ kind: "help" });
    for (const flag of ["--reason", "--for", "--close", "--remove"]) {
      expect(breakGlassHelp()).toContain(`  ${flag}`);
    }
  });
});

describe("the words behind break-glass are refused with", () => {
  const rows = [
    ["no reason", [], "--reason"],
    ["a blank reason", ["--reason= "], "--reason: must be a line of 1 to 200 characters"],
    ["a reason of two lines", ["--reason=a\nb"], "--reason: must be a line"],
    ["a long reason", [`--reason=${"a".repeat(201)}`], "--reason: must be a line"],
    ["no time", ["--reason=x", "--for=0s"], "--for"],
    ["more than a day", ["--reason=x", "--for=25h"], "--for"],
    ["two ways", ["--reason=x", "--for=1m", "--close"], "--for, --close, --remove: must be one of"],
    ["two other ways", ["--reason=x", "--close", "--remove"], "--for, --close, --remove"],
    ["a word", ["--reason=x", "now"], "now"],
  ] as const;
  for (const [name, words, message] of rows) {
    test(name, () => {
      const found = parse(words);
      expect(found.kind).toBe("problems");
      const problems = found.kind === "problems" ? found.problems : [];
      expect(problems.map((problem) => problem.message).join("\n")).toContain(message);
    });
  }

  test("all that is wrong at once", () => {
    const found = parse(["--for=25h", "--nonsense"]);
    expect(found).toMatchObject({ kind: "problems", problems: { length: 3 } });
  });
});
