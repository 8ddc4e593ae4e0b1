import { describe, expect, test } from "bun:test";
import { readFileSync, readlinkSync } from "node:fs";
import { descriptorsLeftBy } from "../../testdata/open-descriptors.ts";
import { runFixture } from "../../testdata/run-fixture.ts";
import { closeDescriptor, readDescriptor } from "../descriptors/descriptors.ts";
import { mapDescriptor } from "./mapping.ts";
import { createPlainMemory, createSecretMemory, sizeAndMap } from "./secret-memory.ts";

const kinds = [
  {
    name: "memfd_secret",
    create: createSecretMemory,
    link: "/secretmem (deleted)",
    refusal: "EINVAL",
  },
  {
    name: "memfd",
    create: () => createPlainMemory("plain"),
    link: "/memfd:plain (deleted)",
    refusal: "EPERM",
  },
] as const;

for (const { name, create, link, refusal } of kinds) {
  describe(name, () => {
    test("is a descriptor of its kind that closes on exec", () => {
      const memory = create();
      expect(memory.kind).toBe(name);
      expect(readlinkSync(`/proc/self/fd/${memory.fd}`)).toBe(link);
      expect(readFileSync(`/proc/self/fdinfo/${memory.fd}`, "latin1")).toMatch(
        /^flags:\s*02\d{6}$/m,
      );
      closeDescriptor(memory.fd);
    });

    test("is zero when it is sized, locked, and the same for every mapping", () => {
      const memory = create();
      const mapping = sizeAndMap(memory, 5000);
      expect(mapping.bytes).toEqual(new Uint8Array(5000));
      expect(lockedAt(mapping.address)).toBe(true);
      mapping.bytes.fill(7);
      const other = mapDescriptor(memory.fd, 5000, "read");
      expect(other.bytes).toEqual(mapping.bytes);
      for (const { unmap } of [mapping, other]) unmap();
      closeDescriptor(memory.fd);
    });

    test("takes its size once only", () => {
      const memory = create();
      sizeAndMap(memory, 5000).unmap();
      for (const length of [1, 20_000]) {
        expect(() => sizeAndMap(memory, length)).toThrow(
          expect.objectContaining({ syscall: "ftruncate", code: refusal }),
        );
      }
      closeDescriptor(memory.fd);
    });

    test("leaves no descriptor", () => {
      const left = descriptorsLeftBy(() => {
        const memory = create();
        sizeAndMap(memory, 1).unmap();
        closeDescriptor(memory.fd);
      });
      expect(left).toEqual([]);
    });
  });
}

describe("memfd_secret", () => {
  test("cannot be read through its descriptor", () => {
    const memory = createSecretMemory();
    sizeAndMap(memory, 10).unmap();
    expect(() => readDescriptor(memory.fd, 10)).toThrow(
      expect.objectContaining({ syscall: "read" }),
    );
    closeDescriptor(memory.fd);
  });
});

describe("sizeAndMap at the limit of locked memory", () => {
  const through = ["setpriv", "--bounding-set", "-ipc_lock", "prlimit", "--memlock=8192:8192"];
  const rows: readonly (readonly [kind: string, length: number, outcome: string])[] = [
    ["memfd_secret", 8192, "mapped"],
    ["memfd_secret", 8193, "mmap: EAGAIN"],
    ["memfd", 8192, "mapped"],
    ["memfd", 8193, "mlock: ENOMEM"],
  ];
  for (const [kind, length, outcome] of rows) {
    test(`gives ${outcome} for ${length} bytes of ${kind} and 8192 allowed`, () => {
      const words = [kind, String(length)];
      expect(runFixture("maps-secret-memory", { words, through })).toEqual({ outcome, leaked: 0 });
    });
  }
});

describe("createSecretMemory if the kernel refuses", () => {
  test("names the feature and its requirements, and keeps the cause", () => {
    expect(runFixture("refuses-secret-memory")).toEqual({
      name: "UnsupportedFeatureError",
      feature: "memfd_secret",
      needs: expect.stringContaining("Linux 5.14"),
      cause: "memfd_secret: ENOSYS",
    });
  });
});

/** Whether the mapping that starts at an address is locked; proc_pid_smaps(5). */
function lockedAt(address: number): boolean {
  const smaps = readFileSync("/proc/self/smaps", "latin1");
  const rest = smaps.slice(smaps.indexOf(`${address.toString(16)}-`));
  return /\blo\b/.test(/^VmFlags: (.*)$/m.exec(rest)?.[1] ?? "");
}
