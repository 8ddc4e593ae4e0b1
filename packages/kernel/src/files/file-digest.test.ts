import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { sha256OfFile } from "./file-digest.ts";
import { openForReading } from "./files.ts";

describe("sha256OfFile", () => {
  for (const length of [0, 1, (1 << 20) - 1, 1 << 20, (1 << 21) + 7]) {
    test(`digests ${length} bytes, twice`, () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "file");
      const bytes = new Uint8Array(length).map((_, index) => index % 251);
      writeFileSync(path, bytes);
      const wanted = createHash("sha256").update(bytes).digest("hex");
      const fd = openForReading(path);
      expect([sha256OfFile(fd), sha256OfFile(fd)]).toEqual([wanted, wanted]);
      closeDescriptor(fd);
    });
  }

  test("names the system call that failed", () => {
    const fd = openForReading("/");
    expect(() => sha256OfFile(fd)).toThrow("EISDIR");
    closeDescriptor(fd);
  });
});
