import { describe, expect, test } from "bun:test";
import { findings } from "./findings.ts";

const cases = [
  {
    name: "a package that imports a lower one is fine",
    path: "packages/wrapper/src/a.ts",
    text: 'import { x } from "@svc/kernel";',
    finds: [],
  },
  {
    name: "a package that imports a higher one is refused",
    path: "packages/kernel/src/a.ts",
    text: 'import { x } from "@svc/wrapper";',
    finds: ['packages/kernel/src/a.ts: must not import "@svc/wrapper"'],
  },
  {
    name: "a dynamic import counts",
    path: "packages/protocol/src/a.ts",
    text: 'await import("@svc/kernel");',
    finds: ['packages/protocol/src/a.ts: must not import "@svc/kernel"'],
  },
  {
    name: "a test may use the testing package",
    path: "packages/vault/src/a.test.ts",
    text: 'import { x } from "@svc/testing";',
    finds: [],
  },
  {
    name: "bun:ffi outside the kernel package is refused",
    path: "packages/operator/src/a.ts",
    text: 'import { dlopen } from "bun:ffi";',
    finds: ['packages/operator/src/a.ts: imports "bun:ffi": only packages/kernel may'],
  },
  {
    name: "the engine in its folder is fine",
    path: "packages/vault/src/engine/a.ts",
    text: 'import { sendHttp } from "svc:engine";',
    finds: [],
  },
  {
    name: "the engine outside of its folder is refused",
    path: "packages/vault/src/a.ts",
    text: 'import { sendHttp } from "svc:engine";',
    finds: ['packages/vault/src/a.ts: imports "svc:engine": only files in a folder engine/ may'],
  },
  {
    name: "decisions that take values are fine",
    path: "packages/wrapper/src/life/a.ts",
    text: 'import type { X } from "../supervisor/x.ts";\nimport { y } from "./y.ts";',
    finds: [],
  },
  {
    name: "decisions that look at the clock, or import effects, are refused",
    path: "packages/wrapper/src/life/a.ts",
    text: 'import { x } from "../lifecycle/x.ts";\nperformance.now();',
    finds: [
      'packages/wrapper/src/life/a.ts: imports "../lifecycle/x.ts" into a folder of decisions',
      "packages/wrapper/src/life/a.ts: uses performance in a folder of decisions",
    ],
  },
  {
    name: "Bun in its folder is fine",
    path: "packages/vault/src/bun/a.ts",
    text: 'import { inspect } from "node:util";\nBun.sleep(1);',
    finds: [],
  },
  {
    name: "Bun outside of its folder is refused in code of the engine",
    path: "packages/secret-bytes/src/a.ts",
    text: 'import { inspect } from "node:util";\nBun.sleep(1);',
    finds: [
      'packages/secret-bytes/src/a.ts: imports "node:util" outside of a folder bun/',
      "packages/secret-bytes/src/a.ts: uses Bun.sleep outside of a folder bun/",
    ],
  },
  {
    name: "Bun is fine in code that runs on nothing else",
    path: "packages/bootstrap/src/a.ts",
    text: 'import { inspect } from "node:util";\nBun.sleep(1);',
    finds: [],
  },
  {
    name: "a backend that is named by its file is refused",
    path: "packages/vault/src/a.ts",
    text: 'import { send } from "./bun/send.ts";',
    finds: [
      "packages/vault/src/a.ts: imports packages/vault/src/bun/send.ts: " +
        "package.json chooses between bun/ and engine/",
    ],
  },
  {
    name: "process.env outside main.ts is refused",
    path: "packages/vault/src/a.ts",
    text: "const a = process.env;",
    finds: ["packages/vault/src/a.ts: reads process.env outside main.ts"],
  },
  {
    name: "process.env in a comment is fine",
    path: "packages/vault/src/a.ts",
    text: "// process.env is not read",
    finds: [],
  },
  {
    name: "a vague name is refused",
    path: "packages/vault/src/utils.ts",
    text: "",
    finds: ["packages/vault/src/utils.ts: has a name that says nothing"],
  },
  {
    name: "end-to-end tests that use the harness are fine",
    path: "e2e/chaos/a.test.ts",
    text: 'import { x } from "../harness/wrapper/x.ts";\nimport { y } from "./y.ts";',
    finds: [],
  },
  {
    name: "end-to-end tests that use the files of another folder are refused",
    path: "e2e/chaos/a.test.ts",
    text: 'import { x } from "../wrapper/x.ts";',
    finds: ["e2e/chaos/a.test.ts: imports e2e/wrapper/x.ts: move it to e2e/harness"],
  },
] as const;

describe("layout", () => {
  for (const { name, path, text, finds } of cases) {
    test(name, () => {
      expect(findings([{ path, name: path.split("/").at(-1) ?? "", text }])).toEqual([...finds]);
    });
  }

  test("files that import each other are refused, also by way of a third", () => {
    const file = (name: string, target: string) => ({
      path: `packages/kernel/src/${name}.ts`,
      name: `${name}.ts`,
      text: `import type { X } from "./${target}.ts";`,
    });
    const found = findings([file("a", "b"), file("b", "c"), file("c", "a"), file("d", "a")]);
    expect(found).toEqual([
      "circle of imports: packages/kernel/src/a.ts\n" +
        "  imports packages/kernel/src/b.ts\n" +
        "  imports packages/kernel/src/c.ts\n" +
        "  imports packages/kernel/src/a.ts",
    ]);
  });
});
