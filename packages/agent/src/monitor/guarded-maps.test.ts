import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../../bpf");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

// A process that reaches for a map could read events, or free itself from the agent.
test("bpf/guard_hooks.h guards each map of the object", () => {
  const headers = readdirSync(folder).filter((name) => name.endsWith(".h"));
  const maps = headers.flatMap((name) =>
    [...read(name).matchAll(/^} (\w+) SEC\("\.maps"\)/gm)].map(([, map]) => map),
  );
  const guarded = [...read("guard_hooks.h").matchAll(/id_of\(&(\w+)\)/g)].map(([, map]) => map);
  expect(maps.length).toBeGreaterThan(20);
  expect([...new Set(guarded)].toSorted()).toEqual(maps.toSorted());
});
