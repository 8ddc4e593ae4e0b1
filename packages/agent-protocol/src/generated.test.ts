import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

test("what is generated is of the protocol as it is: else run bun scripts/generate-protocol.ts", () => {
  const proto = join(import.meta.dirname, "../../../proto/svc/agent/v1/agent.proto");
  const digest = readFileSync(join(import.meta.dirname, "generated/agent.proto.sha256"), "utf8");
  expect(digest.trim()).toBe(createHash("sha256").update(readFileSync(proto)).digest("hex"));
});
