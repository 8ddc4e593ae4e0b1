import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { needsRoot, temporaryFolder } from "@svc/testing";
import { compileBpf } from "../../../../scripts/build/bpf.ts";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { openProcess } from "../process/open-process.ts";
import { parentPid } from "../process/process-controls.ts";
import { BpfObject } from "./bpf-object.ts";
import { BpfRing } from "./bpf-ring.ts";
import { loadPrograms } from "./load-programs.ts";

const folder = temporaryFolder();
let bytes = new Uint8Array();

beforeAll(() => {
  const target = join(folder.path, "notes-calls.o");
  compileBpf(join(import.meta.dirname, "../../testdata"), "notes-calls.bpf.c", target);
  bytes = new Uint8Array(readFileSync(target));
});

afterAll(() => folder[Symbol.dispose]());

// The kernel takes BPF programs and maps only from a process with CAP_BPF.
needsRoot(describe)("loadPrograms", () => {
  test("loads and attaches the accepted programs, with the reasons for the others", () => {
    const programs = ["note_calls", "not_attachable", "not_verifiable"];
    const { object, attached, refused } = loadPrograms(bytes, { programs });
    object.close();
    expect(attached).toEqual(["note_calls"]);
    const codes = refused.map(({ program, error }) => [program, error.syscall, error.code]);
    expect(codes).toEqual([
      ["not_verifiable", "bpf_object__load", "EACCES"],
      ["not_attachable", "bpf_program__attach", "ENOENT"],
    ]);
    expect(refused[0]?.log).toContain("map_value_or_null");
  });

  test("leaves no descriptor, after any refusal of the kernel", () => {
    const programs = ["note_calls", "not_verifiable"];
    const before = descriptors();
    loadPrograms(bytes, { programs }).object.close();
    expect(descriptors()).toBe(before);
  });
});

describe("BpfObject", () => {
  const refusals = [
    ["bytes that are not an object", new Uint8Array(64), [], "bpf_object__open_mem"],
    ["a program that is not there", undefined, ["nobody"], "bpf_object__next_program: ENOENT"],
  ] as const;
  for (const [name, wrong, programs, message] of refusals) {
    test(`refuses ${name}`, () => {
      expect(() => BpfObject.load(wrong ?? bytes, { programs })).toThrow(message);
    });
  }

  // It mounts something over the library.
  needsRoot(test)("names the missing library on a machine without libbpf", () => {
    const script = `for library in $(ldconfig -p | sed -n 's/.*libbpf[.]so[.]1 .*=> //p'); do
      mount --bind /dev/null "$library"; done; exec "$0" "$1"`;
    const fixture = join(import.meta.dirname, "../../testdata/loads-bpf.ts");
    const { stdout, stderr } = Bun.spawnSync([
      ...["unshare", "--mount", "sh", "-ec", script, process.execPath, fixture],
    ]);
    expect(`${stdout}${stderr}`).toBe(
      "libbpf.so.1 is not available: needs libbpf 1.0 (Debian's libbpf1)",
    );
  });

  // libbpf looks for the function in the modules, which the kernel lists with CAP_SYS_ADMIN alone.
  needsRoot(test)("takes a function of a later kernel, with the capabilities of an agent", () => {
    const fixture = join(import.meta.dirname, "../../testdata/loads-programs.ts");
    const object = join(folder.path, "notes-calls.o");
    const { stdout, stderr } = Bun.spawnSync([
      ...["setpriv", "--bounding-set=-all,+bpf,+perfmon", process.execPath, fixture],
      ...[object, "note_calls"],
    ]);
    expect(`${stdout}${stderr}`).toBe("loaded: note_calls");
  });

  needsRoot(test)("refuses a map that is not there, and keys and values of another size", () => {
    const object = BpfObject.load(bytes, { programs: [] });
    expect(() => object.map("nothing")).toThrow("bpf_object__find_map_by_name: ENOENT");
    const answers = object.map("answers");
    expect(() => answers.lookup(new Uint8Array(3))).toThrow(RangeError);
    expect(() => answers.update(new Uint8Array(4), new Uint8Array(8))).toThrow(RangeError);
    object.close();
  });

  test("refuses constants that are longer than their section", () => {
    const constants = { ".rodata.config": new Uint8Array(5000) };
    expect(() => BpfObject.load(bytes, { programs: [], constants })).toThrow(RangeError);
  });

  needsRoot(test)(
    "writes, reads and removes the values of a map, and tells when it is full",
    () => {
      const object = BpfObject.load(bytes, { programs: [] });
      const answers = object.map("answers");
      answers.update(int(1), int(41));
      answers.update(int(2), int(42));
      expect(answers.lookup(int(2))).toEqual(int(42));
      expect(answers.delete(int(1))).toBe(true);
      expect(answers.delete(int(1))).toBe(false);
      expect(answers.lookup(int(1))).toBeUndefined();
      answers.update(int(3), int(43));
      expect(() => answers.update(int(4), int(44))).toThrow("bpf_map_update_elem: E2BIG");
      object.close();
    },
  );
});

needsRoot(describe)("BpfRing", () => {
  test("returns the calls of marked tasks, in order, round and round, and the kernel counts those without room", () => {
    const constants = { ".rodata.config": new Uint8Array(new BigUint64Array([42n]).buffer) };
    const { object } = loadPrograms(bytes, { programs: ["note_calls"], constants });
    const ring = new BpfRing(object.map("calls"));
    const process_ = openProcess(process.pid);
    const seen: (readonly [count: number, answer: number])[] = [];
    const drain = () =>
      ring.drain((data, at, length) => {
        expect(length).toBe(88);
        const [count, answer] = [data.getBigUint64(at, true), data.getBigUint64(at + 8, true)];
        seen.push([Number(count), Number(answer)]);
      });
    parentPid();
    expect(drain()).toBe(0);

    object.map("marks").update(int(process_), new Uint8Array(8));
    for (let round = 0; round < 100; round += 1) {
      for (let call = 0; call < 10; call += 1) parentPid();
      // Records that the kernel writes meanwhile are there afterwards.
      ring.rest();
      expect(drain()).toBe(8);
    }
    const expected = Array.from({ length: 1000 }, (_, index) => [index + 1, 42] as const);
    expect(seen).toEqual(expected.filter(([count]) => count % 5 !== 0));

    // The compiler of hot code must not turn a read into a write: the records' pages are read-only.
    let hot = 0;
    for (let round = 0; round < 8000; round += 1) {
      for (let call = 0; call < 40; call += 1) parentPid();
      hot += ring.drain(ignore);
    }
    expect(hot).toBe(256_000);

    for (let call = 0; call < 1000; call += 1) parentPid();
    const left = drain();
    const lost = object.map("dropped").lookup(int(0)) ?? new Uint8Array();
    // 42 records of 96 bytes fill 4096; those that are discarded take room as well.
    expect(sum(lost)).toBe(1000 - 42);
    expect(left).toBe(34);
    ring.rest();
    ring.rest();
    ring.close();
    object.close();
    closeDescriptor(process_);
  });
});

function ignore(): void {
  // Only how many there are is of interest.
}

function int(value: number): Uint8Array {
  return new Uint8Array(new Int32Array([value]).buffer);
}

/** The sum of one 32-bit value for each processor, each in eight bytes. */
function sum(values: Uint8Array): number {
  const numbers = new Uint32Array(values.buffer);
  return numbers.filter((_, index) => index % 2 === 0).reduce((total, value) => total + value, 0);
}

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
