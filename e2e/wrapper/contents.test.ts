import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const program = readFileSync(join(import.meta.dirname, "../../dist/bin/svc-wrapper"));

test.each([
  ["the name of a setting", "SVC_SECRET_PATHS", true],
  ["the Kubernetes client's user agent", "kubernetes-client-javascript", false],
  ["a call of the Kubernetes client", "replaceNamespacedSecret", false],
  ["the type of the bootstrap's Secret", "svc.internal/store-keys", false],
])("the wrapper contains %s (%s): %p", (_, text, expected) => {
  expect(program.includes(text)).toBe(expected);
});
