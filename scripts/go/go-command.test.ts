import { describe, expect, test } from "bun:test";
import { goEnvironment, runGo } from "./go-command.ts";

describe("the environment of go", () => {
  const rows = [
    ["keeps an absolute cache folder", { XDG_CACHE_HOME: "/c" }, { XDG_CACHE_HOME: "/c" }],
    ["drops a relative cache folder", { XDG_CACHE_HOME: "c", HOME: "/h" }, { HOME: "/h" }],
    ["drops an empty cache folder", { XDG_CACHE_HOME: "" }, {}],
    ["takes no workspace", { GOWORK: "/somewhere/go.work" }, {}],
  ] as const;
  for (const [name, env, expected] of rows) {
    test(name, () => expect(goEnvironment(env)).toEqual({ ...expected, GOWORK: "off" }));
  }
});

test("a go command runs in its folder with its variables", () => {
  const { exitCode, stdout } = runGo(["env", "GOOS", "GOWORK"], {
    folder: import.meta.dir,
    env: { GOOS: "plan9" },
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "plan9\noff\n" });
});
