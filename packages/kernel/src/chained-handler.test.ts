import { describe, expect, test } from "bun:test";
import { runFixture } from "../testdata/run-fixture.ts";
import { handlerCode } from "./chained-handler.ts";

const handlers = { fromOthers: 0x1111_2222_3333_4444n, fromThisProcess: 0x5555_6666_7777_8888n };

test("a signal that the process sends itself goes to the handler before, another one is caught", () => {
  expect(runFixture("chains-handlers")).toEqual({
    ofThisProcess: { caught: 0, before: true },
    ofOthers: { caught: 1, before: false },
  });
});

describe("the code of a handler", () => {
  for (const architecture of ["x64", "arm64"]) {
    test(`holds both addresses: ${architecture}`, () => {
      const code = Buffer.from(handlerCode(architecture, handlers)).toString("hex");
      expect(code).toContain("4444333322221111");
      expect(code).toContain("8888777766665555");
    });
  }

  test("is refused for another architecture", () => {
    expect(() => handlerCode("mips", handlers)).toThrow(TypeError);
  });
});
