import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const protos = join(import.meta.dirname, "../../../formats/proto");
const protocols = [...new Bun.Glob("**/*.proto").scanSync(protos)].sort();

for (const path of protocols) {
  test(`the generated code belongs to ${path}: else run bun scripts/generate-protocol.ts`, () => {
    const proto = join(protos, path);
    const digest = join(import.meta.dirname, `generated/${basename(path)}.sha256`);
    const source = createHash("sha256").update(readFileSync(proto)).digest("hex");
    expect(readFileSync(digest, "utf8").trim()).toBe(source);
  });
}
