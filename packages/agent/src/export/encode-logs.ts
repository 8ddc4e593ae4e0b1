import { basename } from "node:path";
import { type AnyValue, type Attributes, type HrTime, SeverityNumber } from "@opentelemetry/api";
import { ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import { version } from "@svc/protocol";

/** Records as they are in the spool: JSON objects. */
export type Contents = readonly Uint8Array[];

const scope = { name: "svc-agent", version };

/**
 * Encodes records as an ExportLogsServiceRequest (opentelemetry-proto, collector/logs/v1). A record
 * that is not a JSON object, as a disk may
 * have made it, is left out.
 *
 * @returns the request and how many records are in it.
 */
export function encodeLogs(contents: Contents, resource: Resource, nowMs: number) {
  const records = contents.flatMap((content) => {
    const record = parse(content);
    return record === undefined ? [] : [logRecord(record, resource, nowMs)];
  });
  const body = ProtobufLogsSerializer.serializeRequest(records) ?? new Uint8Array();
  return { body, count: records.length };
}

/** The platform's answer to an accepted request. */
export function readAnswer(bytes: Uint8Array): {
  readonly rejected: number;
  readonly message: string;
} {
  try {
    const { partialSuccess } = ProtobufLogsSerializer.deserializeResponse(bytes);
    const { rejectedLogRecords = 0, errorMessage = "" } = partialSuccess ?? {};
    return { rejected: Number(rejectedLogRecords), message: errorMessage };
  } catch {
    // It answered 200, with any body.
    return { rejected: 0, message: "" };
  }
}

/** The agent's own kinds that are not attempts. */
const routineKinds: readonly string[] = ["agent_started", "agent_stopped"];

type Json = Readonly<Record<string, unknown>>;

function parse(content: Uint8Array): Json | undefined {
  try {
    return objectAt(JSON.parse(new TextDecoder().decode(content)));
  } catch {
    return undefined;
  }
}

function logRecord(record: Json, resource: Resource, nowMs: number) {
  const kind = String(record["kind"]);
  const isRoutine = routineKinds.includes(kind);
  return {
    hrTime: hrTime(Date.parse(String(record["time"]))),
    hrTimeObserved: hrTime(nowMs),
    severityNumber: isRoutine ? SeverityNumber.INFO : SeverityNumber.WARN,
    severityText: isRoutine ? "INFO" : "WARN",
    eventName: `svc.agent.${kind}`,
    // It was JSON.
    body: record as AnyValue,
    attributes: attributesOf(record),
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
  };
}

/**
 * Searchable attributes, by their names in the semantic conventions: those of the actor unchanged,
 * those of the target behind `svc.target.`.
 */
function attributesOf(record: Json): Attributes {
  const actor = objectAt(record["actor"]);
  const target = objectAt(record["target"]);
  const registration = objectAt(target?.["registration"]);
  const executable = objectAt(actor?.["executable"]);
  const path = executable?.["path"];
  const targetPath = objectAt(target?.["executable"])?.["path"];
  const actorCgroup = objectAt(actor?.["cgroup"]);
  const targetCgroup = objectAt(target?.["cgroup"]);
  const found = {
    "svc.event.id": record["id"],
    "svc.event.kind": record["kind"],
    "svc.event.decision": record["decision"],
    "svc.event.mechanism": record["mechanism"],
    "process.pid": actor?.["pid"],
    "process.parent_pid": actor?.["parentPid"],
    // The kernel's own, also of a process that has ended.
    "process.executable.name": executable?.["name"] ?? baseName(path),
    "process.executable.path": path,
    "process.user.id": actor?.["uid"],
    // The process has chosen it.
    "thread.name": actor?.["name"],
    "container.id": actorCgroup?.["containerId"],
    "k8s.pod.uid": actorCgroup?.["podUid"],
    // By the kubelet; the registration has the wrapper's word.
    "k8s.pod.name": actorCgroup?.["podName"],
    "k8s.namespace.name": actorCgroup?.["namespace"],
    "k8s.container.name": actorCgroup?.["container"],
    "svc.target.process.pid": target?.["pid"],
    "svc.target.process.user.id": target?.["uid"],
    "svc.target.process.executable.name": baseName(targetPath),
    "svc.target.process.executable.path": targetPath,
    "svc.target.container.id": targetCgroup?.["containerId"],
    "svc.target.k8s.pod.uid": registration?.["podUid"] ?? targetCgroup?.["podUid"],
    "svc.target.k8s.pod.name": targetCgroup?.["podName"] ?? registration?.["podName"],
    "svc.target.k8s.namespace.name": targetCgroup?.["namespace"] ?? registration?.["namespace"],
    "svc.target.k8s.container.name": targetCgroup?.["container"] ?? registration?.["container"],
  };
  const entries = Object.entries(found).flatMap(([name, value]): [string, string | number][] =>
    typeof value === "string" || typeof value === "number" ? [[name, value]] : [],
  );
  return Object.fromEntries(entries);
}

function baseName(path: unknown): string | undefined {
  return typeof path === "string" ? basename(path) : undefined;
}

function objectAt(value: unknown): Json | undefined {
  // For a value that JSON.parse has made.
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

function hrTime(ms: number): HrTime {
  const known = Number.isFinite(ms) ? ms : 0;
  return [Math.floor(known / 1000), (known % 1000) * 1e6];
}
