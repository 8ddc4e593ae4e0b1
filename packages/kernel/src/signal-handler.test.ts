import { describe, expect, test } from "bun:test";
import { runFixture } from "../testdata/run-fixture.ts";
import { handlerCode } from "./signal-handler.ts";

const parts = {
  writeFd: 0x0102_0304,
  eventfdWrite: 0x1111_2222_3333_4444n,
  fromThisProcess: 0x5555_6666_7777_8888n,
};

test("a signal that the process sends itself goes to the handler before, another one is caught", () => {
  expect(runFixture("chains-handlers")).toEqual({
    ofThisProcess: { caught: [], before: true },
    ofOthers: { caught: [30], before: false },
  });
});

describe("the code of a handler", () => {
  for (const architecture of ["x64", "arm64"]) {
    test(`holds both addresses and the descriptor: ${architecture}`, () => {
      const code = Buffer.from(handlerCode(architecture, parts)).toString("hex");
      expect(code).toContain("04030201");
      expect(code).toContain("4444333322221111");
      expect(code).toContain("8888777766665555");
    });
  }

  test("is refused for another architecture", () => {
    expect(() => handlerCode("mips", parts)).toThrow(TypeError);
  });
});
