import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { descriptorsLeftBy } from "../../testdata/open-descriptors.ts";
import { closeDescriptor, writeDescriptor } from "../descriptors/descriptors.ts";
import { mapDescriptor } from "./mapping.ts";
import { createPlainMemory } from "./secret-memory.ts";

describe("mapDescriptor", () => {
  test("shows the file's content, and writes go through to it", () => {
    const { fd } = createPlainMemory("mapped");
    writeDescriptor(fd, new TextEncoder().encode("before"));
    const written = mapDescriptor(fd, 6, "write");
    const read = mapDescriptor(fd, 6, "read");
    expect(new TextDecoder().decode(read.bytes)).toBe("before");
    written.bytes.set(new TextEncoder().encode("after!"));
    expect(new TextDecoder().decode(read.bytes)).toBe("after!");
    written.unmap();
    read.unmap();
    closeDescriptor(fd);
  });

  for (const [access, permissions] of [
    ["read", "r--s"],
    ["write", "rw-s"],
  ] as const) {
    test(`maps for ${access} as ${permissions}, and unmaps`, () => {
      const { fd } = createPlainMemory("mapped");
      writeDescriptor(fd, new Uint8Array(10));
      const mapping = mapDescriptor(fd, 10, access);
      expect(permissionsAt(mapping.address)).toBe(permissions);
      mapping.unmap();
      expect(permissionsAt(mapping.address)).toBeUndefined();
      closeDescriptor(fd);
    });
  }

  for (const [name, fd, length, code] of [
    ["a descriptor that is not there", 1 << 20, 10, "EBADF"],
    ["no bytes", 0, 0, "EINVAL"],
  ] as const) {
    test(`fails with ${code} for ${name}`, () => {
      expect(() => mapDescriptor(fd, length, "read")).toThrow(
        expect.objectContaining({ syscall: "mmap", code }),
      );
    });
  }

  test("leaves no descriptor", () => {
    const left = descriptorsLeftBy(() => {
      const { fd } = createPlainMemory("mapped");
      writeDescriptor(fd, new Uint8Array(10));
      mapDescriptor(fd, 10, "read").unmap();
      closeDescriptor(fd);
    });
    expect(left).toEqual([]);
  });
});

/** The permissions of the mapping that starts at an address; proc_pid_maps(5). */
function permissionsAt(address: number): string | undefined {
  const maps = readFileSync("/proc/self/maps", "latin1");
  return new RegExp(`^0*${address.toString(16)}-\\S+ (\\S+)`, "m").exec(maps)?.[1];
}
