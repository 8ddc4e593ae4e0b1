import { describe, expect, test } from "bun:test";
import { MAX_CONNECTIONS, mostConnections, Visitors } from "./visitors.ts";

interface Guest {
  readonly name: string;
  readonly isAnswering: boolean;
}

const NODE = "10.0.0.1";
const FLOOD = "10.0.0.2";

describe("Visitors", () => {
  test("let every client in while there is room", () => {
    const { enter, names } = house();
    for (let index = 0; index < MAX_CONNECTIONS; index += 1) {
      expect(enter(FLOOD, `flood ${index}`)).toBe("in");
    }
    expect(names()).toHaveLength(MAX_CONNECTIONS);
  });

  test("send the oldest of the largest address away if there is none", () => {
    const { enter, names } = house();
    enter("10.0.0.9", "first of all");
    flood(enter, 3 * MAX_CONNECTIONS);
    expect(enter("10.0.0.3", "newcomer")).toBe("in");
    expect(names()).toHaveLength(MAX_CONNECTIONS);
    expect(names()).toContainValues(["first of all", "newcomer"]);
    expect(names()).not.toContain("flood 0");
    expect(names()).toContain(`flood ${3 * MAX_CONNECTIONS - 1}`);
  });

  test("never evict a connection of the node for others", () => {
    const { enter, names } = house();
    for (let index = 0; index < 5; index += 1) enter(NODE, `probe ${index}`);
    for (let index = 0; index < 600; index += 1) {
      enter(`10.${7 + (index >> 8)}.${index & 255}.1`, `crowd ${index}`);
    }
    expect(names().filter((name) => name.startsWith("probe"))).toHaveLength(5);
  });

  test("evict the node's oldest connection for the node if no other is open", () => {
    const { enter, names } = house();
    for (let index = 0; index <= MAX_CONNECTIONS; index += 1) enter(NODE, `probe ${index}`);
    expect(names()).not.toContain("probe 0");
    expect(names()).toContain(`probe ${MAX_CONNECTIONS}`);
  });

  test("never evict a connection that is being answered", () => {
    const { enter, names } = house();
    enter(FLOOD, "answering", true);
    flood(enter, 2 * MAX_CONNECTIONS);
    expect(names()).toContain("answering");
  });

  test("refuse one more if all are being answered", () => {
    const { enter } = house();
    flood(enter, MAX_CONNECTIONS, true);
    expect(enter("10.9.9.9", "newcomer")).toBe("refused");
  });

  test("count those out who have left", () => {
    const { visitors, enter } = house();
    enter(FLOOD, "one");
    for (const guest of [...visitors]) visitors.leave(guest);
    expect(visitors.size).toBe(0);
  });
});

const MIB = 1 << 20;
test.each([
  [1_048_576, undefined, MAX_CONNECTIONS],
  [256, undefined, 228],
  [32, undefined, 4],
  [16, undefined, 4],
  [1_048_576, Number.POSITIVE_INFINITY, MAX_CONNECTIONS],
  [1_048_576, 8 * MIB, 128],
  [1_048_576, MIB / 16, 1],
  [1_048_576, 0, 1],
  [32, 8 * MIB, 4],
])("%d descriptors and %p bytes to lock allow %d connections", (limit, lockBytes, most) => {
  expect(mostConnections(limit, lockBytes)).toBe(most);
});

type Enter = ReturnType<typeof house>["enter"];

function flood(enter: Enter, count: number, isAnswering = false): void {
  for (let index = 0; index < count; index += 1) enter(FLOOD, `flood ${index}`, isAnswering);
}

function house() {
  const visitors = new Visitors<Guest>((group) => group === NODE);
  return {
    visitors,
    enter: (address: string, name: string, isAnswering = false) =>
      visitors.enter({ name, isAnswering }, address).kind,
    names: () => [...visitors].map(({ name }) => name),
  };
}
