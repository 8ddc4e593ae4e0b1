import { describe, expect, test } from "bun:test";
import { fixtureCommand, searchPath } from "../../testdata/run-fixture.ts";
import { closeDescriptor, makePipe } from "./descriptors.ts";
import { foregroundGroup, processGroup, setForegroundGroup } from "./terminal.ts";

describe("without a terminal", () => {
  test("a pipe has no foreground group, and none can be set", () => {
    const { readFd, writeFd } = makePipe();
    expect(foregroundGroup(readFd)).toBeUndefined();
    expect(setForegroundGroup(readFd, processGroup())).toBe(false);
    closeDescriptor(readFd);
    closeDescriptor(writeFd);
  });
});

describe("with a controlling terminal", () => {
  test("the foreground moves to a child's group and back without stopping us", async () => {
    expect(await onTerminal("moves-the-foreground")).toEqual({
      isTerminal: true,
      ownAtFirst: true,
      moved: true,
      childInFront: true,
      takenBack: true,
      ownAtLast: true,
      refusesStrangeGroup: true,
    });
  });
});

/** Runs a fixture on a separate pseudo terminal and gives the JSON that it printed. */
async function onTerminal(name: string): Promise<unknown> {
  let printed = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([...fixtureCommand(name)], {
    env: { PATH: searchPath },
    terminal: {
      data: (_, bytes) => {
        printed += decoder.decode(bytes, { stream: true });
      },
    },
  });
  expect(await child.exited).toBe(0);
  child.terminal?.close();
  return JSON.parse(printed);
}
