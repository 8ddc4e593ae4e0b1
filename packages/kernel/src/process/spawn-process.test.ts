import { describe, expect, test } from "bun:test";
import { runFixture } from "../../testdata/run-fixture.ts";

describe("spawnProcess", () => {
  const rows: readonly (readonly [name: string, run: string, expected: (seen: Seen) => RegExp])[] =
    [
      [
        "starts a child that leads its own group",
        "own group",
        ({ pid }) => new RegExp(`^${pid} ${pid}$`),
      ],
      ["gives the child the mask", "mask", () => / SigBlk: 0000000000000200 /],
      [
        // 3 is the listing's own.
        "hands over the named descriptors under their numbers and no others",
        "descriptors",
        ({ out }) => new RegExp(`^0 1 ${out} 2 3$|^0 1 2 3 ${out}$`),
      ],
      [
        "gives the child the environment and nothing else",
        "environment",
        () => /^PATH=\/usr\/bin:\/bin$/,
      ],
    ];
  for (const [name, run, expected] of rows) {
    test(`${name}, and leaves no descriptor`, () => {
      const { result, leaked } = spawned(run);
      expect(result.words.join(" ")).toMatch(expected(result));
      expect(leaked).toBe(0);
    });
  }

  test("throws ENOENT for a program that is not there", () => {
    expect(runFixture("spawns-children", { words: ["missing program"] })).toEqual({
      result: "posix_spawn: ENOENT",
      leaked: 0,
    });
  });
});

/** The fixture's observations of its child. */
interface Seen {
  readonly pid: number;
  readonly out: number;
  readonly words: readonly string[];
}

function spawned(run: string): { readonly result: Seen; readonly leaked: number } {
  // Printed by our own fixture; the assertions fail if it is otherwise.
  return runFixture("spawns-children", { words: [run] }) as ReturnType<typeof spawned>;
}
