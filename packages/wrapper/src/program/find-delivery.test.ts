import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { executablePath } from "@svc/kernel";
import { interposerPath } from "./find-delivery.ts";

test("the interposer is in the folder lib beside that of the program", () => {
  const expected = join(dirname(dirname(executablePath())), "lib/libsvc-preload.so");
  expect(interposerPath()).toBe(expected);
});
