import { describe, expect, test } from "bun:test";
import { registerMessage } from "./agent-messages.ts";

describe("a Register has the address of the bare environment", () => {
  const rows = [
    ["library", 4096n],
    ["inject", 4096n],
    ["preload", 4096n],
    ["env", 0n],
    [undefined, 4096n],
  ] as const;
  for (const [delivery, bareEnvironment] of rows) {
    test(`of a program with the delivery ${delivery ?? "not chosen"}: ${bareEnvironment}`, () => {
      const words = { keyCount: 3, memfdSecret: true, memoryLocked: false };
      const known = { ...words, delivery, bareEnvironment: 4096n };
      expect(registerMessage(7n, 42, known)).toEqual({
        ...{ kind: "register", request: 7n, pid: 42 },
        ...words,
        ...{ delivery, bareEnvironment },
      });
    });
  }
});
