import { describe, expect, test } from "bun:test";
import { circles, type Graph } from "./circles.ts";

/** `a>b` is an arrow from a to b. */
function graph(...arrows: readonly string[]): Graph {
  const all = new Map<string, Set<string>>();
  for (const arrow of arrows) {
    const [from = "", to = ""] = arrow.split(">");
    all.set(from, (all.get(from) ?? new Set()).add(to));
  }
  return all;
}

describe("circles", () => {
  const rows: readonly (readonly [
    name: string,
    arrows: readonly string[],
    finds: readonly (readonly string[])[],
  ])[] = [
    ["a graph without arrows has none", [], []],
    ["arrows that join have none", ["a>b", "a>c", "b>d", "c>d"], []],
    ["one node can be one", ["a>a"], [["a"]]],
    ["two nodes can be one", ["a>b", "b>a"], [["a", "b"]]],
    ["five nodes can be one", ["c>d", "a>b", "b>c", "e>a", "d>e"], [["a", "b", "c", "d", "e"]]],
    [
      "the nodes before and behind one are not part of it",
      ["x>a", "a>b", "b>a", "b>y"],
      [["a", "b"]],
    ],
    [
      "a node between two of them is part of none",
      ["a>b", "b>a", "b>m", "m>y", "y>z", "z>y"],
      [
        ["a", "b"],
        ["y", "z"],
      ],
    ],
    ["the shortest one of a group is shown", ["a>b", "b>c", "c>a", "c>b"], [["b", "c"]]],
  ];
  for (const [name, arrows, finds] of rows) {
    test(name, () => {
      expect(circles(graph(...arrows)).map((circle) => [...circle])).toEqual(
        finds.map((circle) => [...circle]),
      );
    });
  }
});
