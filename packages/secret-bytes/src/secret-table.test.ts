import { describe, expect, test } from "bun:test";
import { secretTable } from "../test/secret-table.ts";
import { hmacSha256, readSecretDescriptor, readSecretFile, secretBytesFrom } from "./index.ts";

// It needs nothing of Bun's, so that it runs on every runtime with the backend of that one.
const backend = { hmacSha256, readSecretDescriptor, readSecretFile, secretBytesFrom };

describe("a secret of this runtime", () => {
  for (const { name, actual, expected } of secretTable) {
    test(name, () => expect(actual(backend)).toEqual(expected));
  }
});
