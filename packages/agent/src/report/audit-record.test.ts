import { expect, test } from "bun:test";
import type { AuditEvent } from "../events/audit-event.ts";
import { auditRecord, type RecordContext } from "./audit-record.ts";

const event: AuditEvent = {
  ...{ kind: "process_file", file: "mem", access: "read" },
  ...{ bootNs: 5_000_000_000n, sequence: 12n, mechanism: "lsm", decision: "observed" },
  systemCall: { number: 257, abi: "native" },
  actor: {
    ...{ pid: 7, tid: 8, parentPid: 1, uid: 1000, startNs: 3n, cgroup: 55n, name: "cat" },
    executable: { inode: 2n ** 60n, device: 1 },
  },
  target: { registration: 4n, pid: 9, tid: 9, startNs: 2n, cgroup: 66n },
};

const ancestors = [
  { pid: 5, name: "bash", executablePath: "/bin/bash" },
  { pid: 1, name: "init" },
];

const context: RecordContext = {
  ...{ node: "node-1", bootId: "b", startedNs: 6n },
  ...{ ring: "violations", droppedBefore: 3, count: 1 },
  timeOf: (bootNs) => new Date(Number(bootNs) / 1e6),
  detailsOf: ({ pid }) =>
    pid === 7 ? { executablePath: "/bin/cat", cgroup: { path: "/a" }, ancestors } : {},
  policyOf: (number) => (number === 1 ? "nightly-backup" : undefined),
  registrationOf: (registration) =>
    registration === 4n
      ? { podUid: "u", container: "web", delivery: "inject", keyCount: 2 }
      : undefined,
};

test("a record has actor, target, mechanism, time, and the number of lost events", () => {
  expect(auditRecord(event, context)).toEqual({
    ...{ time: "1970-01-01T00:00:05.000Z", id: "b/6/violations/12", kind: "process_file" },
    ...{ node: "node-1", bootId: "b", ring: "violations", sequence: "12" },
    ...{ droppedBefore: 3, count: 1, mechanism: "lsm", decision: "observed" },
    ...{ file: "mem", access: "read", systemCall: { number: 257, abi: "native" } },
    actor: {
      ...{ pid: 7, tid: 8, parentPid: 1, uid: 1000, startNs: "3", name: "cat" },
      executable: { path: "/bin/cat", inode: String(2n ** 60n), device: 1 },
      cgroup: { id: "55", path: "/a" },
      ancestors: [
        { pid: 5, name: "bash", executable: { path: "/bin/bash" } },
        { pid: 1, name: "init" },
      ],
    },
    target: {
      ...{ pid: 9, tid: 9, startNs: "2", cgroup: { id: "66" } },
      registration: { id: "4", podUid: "u", container: "web", delivery: "inject", keyCount: 2 },
    },
  });
});

test("it is plain JSON: nothing is lost on the way through text", () => {
  const record = auditRecord(event, context);
  expect(JSON.parse(JSON.stringify(record))).toEqual(record);
});

test("a sum has its own id and says how many it stands for", () => {
  const { id, count } = auditRecord(event, { ...context, count: 30 });
  expect({ id, count }).toEqual({ id: "b/6/violations/12/repeated", count: 30 });
});

test("a registration that is forgotten is still named by its number", () => {
  const record = auditRecord(event, { ...context, registrationOf: () => undefined });
  expect(record["target"]).toMatchObject({ registration: { id: "4" } });
});

test("an event about the node has no target", () => {
  const { actor, bootNs, sequence } = event;
  const facts = { actor, bootNs, sequence, mechanism: "lsm", decision: "observed" } as const;
  expect(auditRecord({ kind: "kexec", ...facts }, context)).not.toHaveProperty("target");
});
