import { describe, expect, test } from "bun:test";
import {
  closeDescriptor,
  createPlainMemory,
  createSecretMemory,
  mapSecretMemory,
  type SecretMemory,
} from "@svc/kernel";
import { readGeneration } from "@svc/protocol";
import { closed } from "../testdata/outcomes.ts";
import type { SecretEntry } from "./delivery.ts";
import { type ReloadableMemory, writeGeneration } from "./refresh-region.ts";
import { fillRegion } from "./secret-region.ts";

const kinds: Readonly<Record<string, () => SecretMemory>> = {
  memfd_secret: createSecretMemory,
  memfd: () => createPlainMemory("svc-test"),
};

for (const [name, create] of Object.entries(kinds)) {
  describe(`a region of ${name}`, () => {
    test("holds one generation after the other", () => {
      using region = filled(create(), { USER: "u0", PASSWORD: "first" });
      expect(readOf(region.memory)).toEqual({ USER: "u0", PASSWORD: "first" });
      for (let count = 1; count <= 5; count++) {
        const values = { USER: `u${count}`, PASSWORD: "x".repeat(count * 100) };
        const { generation, offsets } = writeGeneration(region.memory, entriesOf(values), [
          "USER",
          "PASSWORD",
        ]);
        expect(generation).toBe(count);
        const start = (2 - (count % 2)) * region.slotBytes;
        expect(offsets).toEqual({ USER: start, PASSWORD: start + "USER=u0".length + 1 });
        expect(readOf(region.memory)).toEqual(values);
      }
    });

    test("never overwrites the program's current generation, also after a courier was killed", () => {
      using region = filled(create(), { KEY: "first" });
      const write = (value: string, pointedAt: number) =>
        writeGeneration(region.memory, entriesOf({ KEY: value }), ["KEY"], { pointedAt });
      expect(write("1", 0).generation).toBe(1);
      const lost = write("2", 1);
      expect(write("2", 1)).toEqual(lost);
      expect(() => write("3", 1)).toThrow(expect.objectContaining({ code: "BEHIND" }));
      expect(readOf(region.memory)).toEqual({ KEY: "2" });
      expect(write("3", 2).generation).toBe(3);
    });

    test("keeps the places of variables, in any order", () => {
      using region = filled(create(), { USER: "user", PASSWORD: "first" });
      const entries = entriesOf({ MORE: "1", PASSWORD: "other", USER: "next" });
      const { offsets } = writeGeneration(region.memory, entries, ["USER", "PASSWORD"]);
      const start = region.slotBytes;
      expect(offsets).toEqual({ USER: start, PASSWORD: start + 10, MORE: start + 25 });
    });

    test("keeps its values if a variable is gone or the values do not fit", () => {
      using region = filled(create(), { KEY: "first" });
      const refusals: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
        [{ OTHER: "1" }, "KEY_REMOVED"],
        [{ KEY: "x".repeat(region.slotBytes) }, "TOO_LARGE"],
      ];
      for (const [values, code] of refusals) {
        const write = () => writeGeneration(region.memory, entriesOf(values), ["KEY"]);
        expect(write).toThrow(expect.objectContaining({ code }));
      }
      expect(readOf(region.memory)).toEqual({ KEY: "first" });
    });
  });
}

test("a region that is not to be reloaded is a page of entries", () => {
  const memory = createSecretMemory();
  const region = fillRegion(memory.kind, memory.fd, entriesOf({ KEY: "value" }));
  expect(region).toMatchObject({ lengthBytes: 4096, offsets: [0] });
  expect(region.slotBytes).toBeUndefined();
  closeDescriptor(memory.fd);
});

interface Filled extends Disposable {
  readonly memory: ReloadableMemory;
  readonly slotBytes: number;
}

function filled(memory: SecretMemory, values: Readonly<Record<string, string>>): Filled {
  const region = fillRegion(memory.kind, memory.fd, entriesOf(values), { reloadable: true });
  return {
    memory: { ...memory, lengthBytes: region.lengthBytes },
    slotBytes: region.slotBytes ?? 0,
    [Symbol.dispose]: () => closeDescriptor(memory.fd),
  };
}

function readOf(memory: ReloadableMemory): Readonly<Record<string, string>> {
  const mapping = mapSecretMemory(memory, memory.lengthBytes);
  const { entries } = readGeneration(mapping.bytes);
  const texts = entries.map(({ key, value }) => [key, new TextDecoder().decode(value)] as const);
  mapping.unmap();
  return Object.fromEntries(texts);
}

function entriesOf(values: Readonly<Record<string, string>>): readonly SecretEntry[] {
  return Object.entries(values).map(([variable, value]) => ({
    variable,
    value: closed(value),
    path: "secret/data/app",
  }));
}
