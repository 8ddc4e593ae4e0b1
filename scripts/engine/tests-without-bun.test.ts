import { describe, expect, test } from "bun:test";
import { withoutBun } from "./tests-without-bun.ts";

const changed = (text: string) => withoutBun(text, "/root/packages/x/src/y.test.ts");

describe("a test file's text for the engine", () => {
  test("imports the engine's stand-ins", () => {
    for (const [module, file] of [
      ["bun:test", "bun-test"],
      ["node:fs", "node-fs"],
      ["node:path", "node-path"],
    ]) {
      const text = changed(`import {\n  one,\n  two,\n} from "${module}";`);
      expect(text).toMatch(new RegExp(`^import .* from "/.*/engine/testing/${file}\\.ts";$`, "s"));
    }
  });

  test("throws in place of modules that only Bun has", () => {
    const text = changed('import { type Socket, connect as open } from "node:net";');
    expect(text).toContain('const open = onlyBun("connect of node:net");');
    expect(text).not.toContain("Socket");
    expect(text).toStartWith('import { onlyBun } from "');
  });

  test("uses the engine's globals, on the same lines", () => {
    const text = changed("// one\nf(...Bun.env, process.pid, Buffer.from(x), new Response(y));");
    const call = "f(...testBun.env, testProcess.pid, testBuffer.from(x), new testResponse(y));";
    expect(text.split("\n")[1]).toBe(call);
  });

  test("knows its folder", () => {
    expect(changed("join(import.meta.dirname, import.meta.path)")).toBe(
      'join("/root/packages/x/src", "/root/packages/x/src/y.test.ts")',
    );
  });

  test("stays as it is if nothing is Bun's", () => {
    for (const text of [
      'import { spawn } from "./spawn-process.ts";',
      'import type { BunPlugin } from "./bun.ts";',
      "a.process.b; Bundle.x; Response.y",
    ]) {
      expect(changed(text)).toBe(text);
    }
  });
});
