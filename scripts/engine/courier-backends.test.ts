import { expect, test } from "bun:test";
import { join } from "node:path";

const entry = join(import.meta.dirname, "../../packages/wrapper/src/courier/run-courier.ts");

/** The courier's own code, in one text. */
async function courier(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    conditions: ["svc-engine"],
    target: "bun",
    external: ["svc:*"],
  });
  return (await Promise.all(outputs.map((output) => output.text()))).join("\n");
}

/** The files of folders bun/ and engine/ that a bundle names in its comments. */
function backendsIn(bundle: string): readonly string[] {
  const files = bundle.matchAll(
    /^\/\/ packages\/((?:secret-bytes|vault)\/src\/(?:bun|engine)\/.+)$/gm,
  );
  return [...files].map(([, file = ""]) => file).toSorted();
}

test("the engine's courier has the host's secrets and requests, and none of Bun's", async () => {
  const bundle = await courier();
  expect(backendsIn(bundle)).toEqual([
    "secret-bytes/src/engine/backend.ts",
    "vault/src/engine/http-transport.ts",
    "vault/src/engine/judge-key-pair.ts",
  ]);
  expect(bundle).toContain('from "svc:engine"');
});
