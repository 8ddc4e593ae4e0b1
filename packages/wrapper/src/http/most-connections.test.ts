import { expect, test } from "bun:test";
import { MAX_CONNECTIONS, mostConnections } from "./most-connections.ts";

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
