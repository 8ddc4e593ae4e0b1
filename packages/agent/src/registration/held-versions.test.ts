import { describe, expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { VersionsSchema } from "@svc/agent-protocol";
import { heldVersions } from "./held-versions.ts";

const secret = { path: "secret/data/app", version: 7n, sinceMs: 1000n };
const held = { path: "secret/data/app", version: 7, since: "1970-01-01T00:00:01.000Z" };
const tooLate = 8_640_000_000_000_001n;

describe("of the words of a wrapper the agent takes", () => {
  const rows = [
    ["versions", [secret, { ...secret, path: "2" }], [held, { ...held, path: "2" }]],
    ["none", [], []],
    ["no secret without a name", [{ ...secret, path: "" }, secret], [held]],
    ["no name that is too long", [{ ...secret, path: "x".repeat(129) }, secret], [held]],
    ["no version that a number cannot hold", [{ ...secret, version: 2n ** 53n }, secret], [held]],
    ["no moment that no calendar has", [{ ...secret, sinceMs: tooLate }, secret], [held]],
    ["the first 32", Array.from({ length: 500 }, () => secret), Array(32).fill(held)],
  ] as const;
  for (const [what, secrets, versions] of rows) {
    test(what, () => {
      const message = create(VersionsSchema, { secrets: [...secrets] });
      expect(heldVersions(message)).toEqual([...versions]);
    });
  }
});
