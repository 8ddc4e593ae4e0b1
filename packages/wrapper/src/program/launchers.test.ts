import { describe, expect, test } from "bun:test";
import { isLauncher } from "./launchers.ts";

describe("isLauncher", () => {
  const rows: readonly (readonly [
    name: string,
    executed: string,
    argv: readonly string[],
    launches: boolean,
  ])[] = [
    ["a shell", "/bin/sh", ["sh", "-c", "x"], true],
    ["a shell by another name", "/bin/bash", ["entry"], true],
    ["a login shell", "/bin/bash", ["-bash"], true],
    [
      "a script, by its interpreter",
      "/docker-entrypoint.sh",
      ["/bin/sh", "/docker-entrypoint.sh"],
      true,
    ],
    ["busybox as a shell", "/bin/busybox", ["/bin/sh"], true],
    ["busybox with a shell as its argument", "/bin/busybox", ["busybox", "sh"], true],
    ["busybox as another command", "/bin/busybox", ["busybox", "httpd"], false],
    ["env", "/usr/bin/env", ["env", "python3"], true],
    ["tini", "/sbin/tini", ["tini", "--", "app"], true],
    ["an application", "/app/server", ["server"], false],
    ["an application whose argument is a shell", "/app/server", ["server", "sh"], false],
    ["an application in a folder named like a shell", "/opt/sh/server", ["server"], false],
    ["a script of Python", "/app/run.py", ["/usr/bin/python3", "/app/run.py"], false],
    ["a program without arguments", "/app/server", [], false],
  ];
  for (const [name, executed, argv, launches] of rows) {
    test(`says ${launches ? "yes" : "no"} to ${name}`, () => {
      expect(isLauncher({ executed, argv })).toBe(launches);
    });
  }
});
