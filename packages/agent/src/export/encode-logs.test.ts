import { describe, expect, test } from "bun:test";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { agentResource } from "./agent-resource.ts";
import { encodeLogs, readAnswer } from "./encode-logs.ts";

type Field = Uint8Array | bigint | number;
type Message = ReadonlyMap<number, readonly Field[]>;

/** The fields of a message of protocol buffers, by their numbers. */
function fieldsOf(bytes: Uint8Array): Message {
  const found = new Map<number, Field[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const value =
      type === WireType.LengthDelimited
        ? reader.bytes()
        : type === WireType.Bit64
          ? BigInt(reader.fixed64())
          : type === WireType.Bit32
            ? reader.fixed32()
            : Number(reader.uint64());
    found.set(number, [...(found.get(number) ?? []), value]);
  }
  return found;
}

const messages = (message: Message, number: number): readonly Message[] =>
  (message.get(number) ?? []).map((bytes) =>
    fieldsOf(bytes instanceof Uint8Array ? bytes : new Uint8Array()),
  );
const textOf = (field: Field | undefined): string =>
  field instanceof Uint8Array ? new TextDecoder().decode(field) : "";

/** `KeyValue` of opentelemetry-proto: texts and numbers. */
function attributesOf(message: Message, number: number): Readonly<Record<string, unknown>> {
  const pairs = messages(message, number).map((pair) => {
    const [value] = messages(pair, 2);
    const text = value?.get(1)?.[0];
    return [textOf(pair.get(1)?.[0]), text === undefined ? value?.get(3)?.[0] : textOf(text)];
  });
  return Object.fromEntries(pairs);
}

const resource = agentResource("node-1", {});
const encode = (...records: readonly string[]) => {
  const contents = records.map((text) => new TextEncoder().encode(text));
  const { body, count } = encodeLogs(contents, resource, Date.parse("2026-11-01T00:00:05Z"));
  const logs = messages(fieldsOf(body), 1).flatMap((one) =>
    messages(one, 2).flatMap((scope) => messages(scope, 2)),
  );
  return { count, body, logs };
};

const record = {
  ...{ id: "b/6/violations/12", kind: "process_file", time: "2026-11-01T00:00:01.500Z" },
  ...{ decision: "blocked", mechanism: "lsm" },
  actor: {
    ...{ pid: 7, parentPid: 1, uid: 1000, name: "cat" },
    executable: { path: "/usr/bin/cat" },
    cgroup: { containerId: "c-1", podUid: "u-1", podName: "thief", namespace: "x", container: "a" },
  },
  target: {
    ...{ pid: 9, uid: 65532, executable: { path: "/srv/app" } },
    cgroup: { containerId: "c-2", podUid: "u-2" },
    registration: { podUid: "u-9", podName: "web-1", namespace: "shop", container: "app" },
  },
};

describe("a record that the platform gets", () => {
  test("has the time, the name and the severity of an attempt", () => {
    const { logs, count } = encode(JSON.stringify(record));
    expect([count, logs.length]).toEqual([1, 1]);
    const [log] = logs;
    expect(log?.get(1)).toEqual([BigInt(Date.parse(record.time)) * 1_000_000n]);
    expect(log?.get(11)).toEqual([BigInt(Date.parse("2026-11-01T00:00:05Z")) * 1_000_000n]);
    expect([log?.get(2)?.[0], textOf(log?.get(3)?.[0])]).toEqual([13, "WARN"]);
    expect(textOf(log?.get(12)?.[0])).toBe("svc.agent.process_file");
  });

  test("has the actor and the target as attributes by the semantic conventions", () => {
    const [log = new Map()] = encode(JSON.stringify(record)).logs;
    expect(attributesOf(log, 6)).toEqual({
      "svc.event.id": "b/6/violations/12",
      "svc.event.kind": "process_file",
      "svc.event.decision": "blocked",
      "svc.event.mechanism": "lsm",
      "process.pid": 7,
      "process.parent_pid": 1,
      "process.executable.name": "cat",
      "process.executable.path": "/usr/bin/cat",
      "process.user.id": 1000,
      "thread.name": "cat",
      "container.id": "c-1",
      "k8s.pod.uid": "u-1",
      "k8s.pod.name": "thief",
      "k8s.namespace.name": "x",
      "k8s.container.name": "a",
      "svc.target.process.pid": 9,
      "svc.target.process.user.id": 65532,
      "svc.target.process.executable.name": "app",
      "svc.target.process.executable.path": "/srv/app",
      "svc.target.container.id": "c-2",
      "svc.target.k8s.pod.uid": "u-9",
      "svc.target.k8s.pod.name": "web-1",
      "svc.target.k8s.namespace.name": "shop",
      "svc.target.k8s.container.name": "app",
    });
  });

  test("takes the kubelet's names of a target before the wrapper's, and the kernel's of a program", () => {
    const cgroup = { podName: "web-2", namespace: "true", container: "real" };
    const { registration } = record.target;
    const other = {
      ...{ kind: "ptrace", actor: { executable: { name: "gdb", path: "/tmp/x" } } },
      target: { cgroup, registration },
    };
    const [log = new Map()] = encode(JSON.stringify(other)).logs;
    expect(attributesOf(log, 6)).toMatchObject({
      "process.executable.name": "gdb",
      "svc.target.k8s.pod.name": "web-2",
      "svc.target.k8s.namespace.name": "true",
      "svc.target.k8s.container.name": "real",
    });
  });

  for (const kind of ["agent_started", "agent_stopped"]) {
    test(`of the kind ${kind} is information alone`, () => {
      const [log] = encode(JSON.stringify({ kind })).logs;
      expect([log?.get(2)?.[0], textOf(log?.get(3)?.[0])]).toEqual([9, "INFO"]);
    });
  }

  test("is left out if the disk has spoilt it", () => {
    const { count, logs } = encode("{", "5", "[]", "null", JSON.stringify(record));
    expect([count, logs.length]).toEqual([1, 1]);
  });

  test("without a time has the first one", () => {
    const [log] = encode('{"kind":"ptrace"}').logs;
    expect(log?.get(1) ?? [0n]).toEqual([0n]);
  });
});

describe("the answer of a platform", () => {
  test("says how many records it has rejected, and why", () => {
    const partial = new BinaryWriter().tag(1, WireType.Varint).int64(3);
    partial.tag(2, WireType.LengthDelimited).string("too old");
    const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(partial.finish());
    expect(readAnswer(writer.finish())).toEqual({ rejected: 3, message: "too old" });
  });

  for (const [name, bytes] of [
    ["nothing", new Uint8Array()],
    ["a page", new TextEncoder().encode("<p>ok")],
  ] as const) {
    test(`is an acceptance of all if it has ${name}`, () => {
      expect(readAnswer(bytes)).toEqual({ rejected: 0, message: "" });
    });
  }
});
