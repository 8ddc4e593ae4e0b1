import { expect, test } from "bun:test";
import { renderHeader } from "./system-call-headers.ts";
import { watchedCalls } from "./system-calls/watched-calls.ts";

test("a header has each call with its kind, and the missing calls by name", () => {
  const all = Object.values(watchedCalls).flat();
  const native = new Map(all.filter((name) => name !== "open").map((name, at) => [name, at]));
  const own = new Map([["execve", 520]]);
  const text = renderHeader("x86", [
    { numbering: { prefix: "NATIVE", code: "64 bits" }, numbers: native },
    { numbering: { prefix: "X32", code: "x32" }, numbers: own },
  ]);
  expect(text).toContain(
    "/* 64 bits */\n#define NATIVE_CALLS(CALL) \\\n\tCALL(EXEC, execve, 0) \\\n",
  );
  expect(text).toContain("#define NATIVE_LACKS(LACK) \\\n\tLACK(open)\n");
  expect(text).toEndWith(
    "/* x32 */\n#define X32_CALLS(CALL) \\\n\tCALL(EXEC, execve, 520)\n\n#endif\n",
  );
  expect(text).not.toContain("X32_LACKS");
});

test("no call is of two kinds", () => {
  const all = Object.values(watchedCalls).flat();
  expect(all).toEqual([...new Set(all)]);
});
