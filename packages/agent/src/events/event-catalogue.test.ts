import { describe, expect, test } from "bun:test";
import { decodeEvent } from "./decode-event.ts";
import { eventCatalogue } from "./event-catalogue.ts";
import { eventOffsets as at, EVENT_VERSION, eventBytes, kinds } from "./event-layout.ts";

const BYTES = eventBytes[EVENT_VERSION - 1] ?? 0;

/** linux/ptrace.h */
const PTRACE_ATTACH = 16;

/** A record of the kernel with the first detail of its kind, and a registration. */
function recordOf(kind: number): DataView {
  const record = new DataView(new ArrayBuffer(BYTES));
  record.setUint16(at.version, EVENT_VERSION, true);
  record.setUint16(at.size, BYTES, true);
  for (const field of ["mechanism", "decision"] as const) record.setUint8(at[field], 1);
  record.setUint8(at.kind, kind + 1);
  record.setUint32(at.detail, kinds[kind] === "ptrace" ? PTRACE_ATTACH : 1, true);
  record.setBigUint64(at.registration, 7n, true);
  return record;
}

/** Fields that every event may have. */
const all = [
  ...["kind", "bootNs", "sequence", "mechanism", "decision", "policy", "systemCall"],
  ...["actor", "target"],
];

describe("the reference describes the fields that the records have:", () => {
  for (const [index, kind] of kinds.entries()) {
    test(kind, () => {
      const event = decodeEvent(recordOf(index), 0, BYTES);
      expect(event.kind).toBe(kind);
      const own = Object.keys(event).filter((name) => !all.includes(name));
      const { fields = {} } = eventCatalogue[kind];
      expect(Object.keys(fields).sort()).toEqual(own.sort());
    });
  }
});

test("each kind is like a technique that ATT&CK has", () => {
  for (const [kind, { techniques, meaning }] of Object.entries(eventCatalogue)) {
    for (const technique of techniques) expect(technique).toMatch(/^T\d{4}(?:\.\d{3})?$/);
    expect([kind, meaning]).toEqual([kind, expect.stringMatching(/^[A-Z].*\.$/s)]);
  }
});
