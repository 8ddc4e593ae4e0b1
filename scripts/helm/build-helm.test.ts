import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/testing/src/index.ts";
import { HELM_VERSION, helmFolder, helmProgram } from "./helm-release.ts";

const goMod = readFileSync(join(import.meta.dirname, "go.mod"), "utf8");

test("go.mod names the Helm that the tests say they use", () => {
  expect(goMod).toContain(`\thelm.sh/helm/v4 v${HELM_VERSION} // indirect\n`);
});

test("another go.sum would be another folder in the cache", () => {
  expect(helmFolder("/cache")).toMatch(/^\/cache\/helm-4\.\d+\.\d+-[0-9a-f]{12}$/);
});

test("a Helm that is missing is an error that names the command", () => {
  using folder = temporaryFolder();
  expect(() => helmProgram(folder.path)).toThrow("run: bun scripts/fetch-helm.ts");
});
