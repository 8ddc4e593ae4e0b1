import { afterAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { wrapperPath } from "../harness/wrapper/wrapper-process.ts";

const root = resolve(import.meta.dir, "../..");
const guide = readFileSync(join(root, "docs/guides/go.md"), "utf8");
const blocks = [...guide.matchAll(/```go\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);

test("the code of docs/guides/go.md compiles, passes its own test, and the wrapper recognises it", async () => {
  const [program = "", watch = "", itsTest = ""] = blocks;
  expect(program).toStartWith("package main\n");
  expect(watch).toStartWith("store.Watch(");
  expect(itsTest).toStartWith("func Test");
  writeFileSync(at("main.go"), withWatch(program, watch));
  const imports = 'import (\n"net/http"\n"net/http/httptest"\n"testing"\n)\n';
  writeFileSync(at("main_test.go"), `package main\n${imports}${itsTest}`);
  copyFileSync(join(root, "go/go.sum"), at("go.sum"));
  await go("mod", "init", "example.com/app");
  await go("mod", "edit", `-replace=svc.internal/secrets=${join(root, "go")}`);
  await go("mod", "tidy");
  await go("vet", ".");
  expect(await go("test", ".")).toStartWith("ok");
  await go("build", "-o", "app", ".");
  const explained = await run([wrapperPath, "--explain", "--", at("app")]);
  expect(explained).toStartWith("library: the program uses the Go library\n");
  // The answer is in the guide, word for word.
  expect(guide).toContain(explained);
});

/** Adds the guide's lines after Open. */
function withWatch(program: string, watch: string): string {
  const added = program
    .replace("import (\n", 'import (\n\t"context"\n')
    .replace("\tlog.Print(store)", `${watch}\tlog.Print(store)`);
  expect(added).toContain(watch);
  return added;
}

const go = (...words: readonly string[]) => run(["go", ...words]);

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: folder.path,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new TypeError(`${command.join(" ")}: ${complaints}`);
  return printed;
}
