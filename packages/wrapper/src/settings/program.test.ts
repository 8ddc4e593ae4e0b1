import { describe, expect, test } from "bun:test";
import { type Environment, least, settingsOf } from "./testdata/least-environment.ts";

describe("what is started", () => {
  const rows: readonly (readonly [
    name: string,
    environment: Environment,
    words: readonly string[],
  ])[] = [
    ["is SVC_ORIGINAL_CMD", { SVC_ORIGINAL_CMD: "/app -v" }, ["/app", "-v"]],
    [
      "is SVC_ORIGINAL_CMD with SVC_ORIGINAL_ARGS behind it",
      { SVC_ORIGINAL_CMD: '["sh", "-c"]', SVC_ORIGINAL_ARGS: '["echo  $A", ""]' },
      ["sh", "-c", "echo  $A", ""],
    ],
    [
      "may have its arguments between white space",
      { SVC_ORIGINAL_CMD: "/app", SVC_ORIGINAL_ARGS: " --port  80 " },
      ["/app", "--port", "80"],
    ],
  ];
  for (const [name, environment, words] of rows) {
    test(name, () => {
      expect(settingsOf({ ...least, ...environment }).program).toEqual({
        kind: "variables",
        words,
      });
    });
  }

  test("is the program after --, regardless of the variables", () => {
    const environment = { ...least, SVC_ORIGINAL_CMD: "[broken", SVC_ORIGINAL_ARGS: "[" };
    expect(settingsOf(environment, { program: ["ls"] }).program).toEqual({ kind: "arguments" });
  });
});
