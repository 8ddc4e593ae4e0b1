import { AgentError } from "../agent-error.ts";
import type {
  AuditEvent,
  EventActor,
  EventFacts,
  EventSystemCall,
  EventTarget,
  ProcessFileEvent,
} from "./audit-event.ts";
import {
  abis,
  eventOffsets as at,
  decisions,
  EXECUTABLE_NAME_BYTES,
  eventBytes,
  FILE_WRITTEN,
  kernelFiles,
  kernelMemories,
  kinds,
  loaderWays,
  mechanisms,
  NAME_BYTES,
  processFiles,
  tamperings,
} from "./event-layout.ts";

// linux/ptrace.h; PTRACE_MODE_ATTACH of the kernel's own include/linux/ptrace.h.
const PTRACE_ATTACH = 16;
const PTRACE_SEIZE = 0x4206;
const PTRACE_MODE_ATTACH = 2;

/**
 * Reads a record of the kernel's, `struct svc_event` of bpf/event.h. Nothing of it refers to the
 * record.
 *
 * @param data with the record from `start` on.
 * @throws AgentError `EVENT_UNREADABLE` if the object that runs in the kernel is that of another
 * agent.
 */
export function decodeEvent(data: DataView, start: number, length: number): AuditEvent {
  if (!eventBytes.some((bytes) => bytes === length)) throw unreadable("length", length);
  const record = new DataView(data.buffer, data.byteOffset + start, length);
  const version = record.getUint16(at.version, true);
  if (eventBytes[version - 1] !== length) throw unreadable("version", version);
  if (record.getUint16(at.size, true) !== length) throw unreadable("size", length);
  const facts = factsOf(record);
  const kind = nameOf("kind", kinds, record.getUint8(at.kind) - 1);
  const detail = record.getUint32(at.detail, true);
  switch (kind) {
    case "ptrace":
      return { kind, ...facts, request: requestOf(detail), target: targetOf(record) };
    case "task_access":
      return { kind, ...facts, access: accessOf(detail), target: targetOf(record) };
    case "process_file":
      return { kind, ...facts, ...fileOf(detail), target: targetOf(record) };
    case "core_signal":
      return { kind, ...facts, signal: detail, target: targetOf(record) };
    case "kernel_file":
      return { kind, ...facts, file: nameOf("file of the kernel", kernelFiles, detail - 1) };
    case "kernel_memory":
      return { kind, ...facts, memory: nameOf("memory", kernelMemories, detail - 1) };
    case "process_vm_readv":
    case "process_vm_writev":
    case "pidfd_getfd":
    case "kcmp":
    case "process_madvise":
    case "perf_event_open":
    case "ptrace_traceme":
    case "move_pages":
    case "migrate_pages":
    case "get_robust_list":
    case "setns":
    case "core_limit":
      return { kind, ...facts, target: targetOf(record) };
    case "loader": {
      const by = nameOf("way of loading", loaderWays, detail);
      return { kind, ...facts, by, target: targetOf(record) };
    }
    case "secret_descriptor":
    case "token_file":
      return { kind, ...facts, ...registrationOf(record) };
    case "agent_tampering":
      return { kind, ...facts, what: nameOf("tampering", tamperings, detail - 1) };
    case "bpf_program_load":
    case "module_load":
    case "kexec":
    case "kernel_probe":
    case "hibernation":
    case "cpu_sampling":
    case "agent_adoption":
    case "swap_space":
      return { kind, ...facts };
  }
}

function factsOf(record: DataView): EventFacts {
  const systemCall = systemCallOf(record);
  const policy = record.getUint32(at.policy, true);
  return {
    bootNs: record.getBigUint64(at.boot_ns, true),
    sequence: record.getBigUint64(at.sequence, true),
    mechanism: nameOf("mechanism", mechanisms, record.getUint8(at.mechanism) - 1),
    decision: nameOf("decision", decisions, record.getUint8(at.decision) - 1),
    ...(policy !== 0 && { policy }),
    ...(systemCall && { systemCall }),
    actor: actorOf(record),
  };
}

function systemCallOf(record: DataView): EventSystemCall | undefined {
  const abi = nameOf("abi", abis, record.getUint8(at.abi));
  const number = record.getInt32(at.syscall, true);
  return number < 0 ? undefined : { number, abi };
}

function actorOf(record: DataView): EventActor {
  const inode = record.getBigUint64(at.actor_exe_inode, true);
  const device = record.getUint32(at.actor_exe_device, true);
  return {
    pid: record.getUint32(at.actor_pid, true),
    tid: record.getUint32(at.actor_tid, true),
    parentPid: record.getUint32(at.actor_ppid, true),
    uid: record.getUint32(at.actor_uid, true),
    startNs: record.getBigUint64(at.actor_start_ns, true),
    cgroup: record.getBigUint64(at.actor_cgroup, true),
    ...(inode !== 0n && { executable: { inode, device, ...executableName(record) } }),
    name: textAt(record, at.actor_comm, NAME_BYTES),
  };
}

function registrationOf(record: DataView): Pick<EventTarget, "registration"> {
  const registration = record.getBigUint64(at.registration, true);
  return registration === 0n ? {} : { registration };
}

function targetOf(record: DataView): EventTarget {
  return {
    ...registrationOf(record),
    pid: record.getUint32(at.target_pid, true),
    tid: record.getUint32(at.target_tid, true),
    startNs: record.getBigUint64(at.target_start_ns, true),
    cgroup: record.getBigUint64(at.target_cgroup, true),
  };
}

/** Absent in events of version 1, and on a kernel that is locked down. */
function executableName(record: DataView): { readonly name?: string } {
  if (record.byteLength < at.actor_exe_name + EXECUTABLE_NAME_BYTES) return {};
  const name = textAt(record, at.actor_exe_name, EXECUTABLE_NAME_BYTES);
  return name === "" ? {} : { name };
}

/** Up to the first NUL; any byte may be in it, because prctl and files accept every name. */
function textAt(record: DataView, offset: number, length: number): string {
  const bytes = new Uint8Array(record.buffer, record.byteOffset + offset, length);
  const end = bytes.indexOf(0);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    end < 0 ? bytes : bytes.subarray(0, end),
  );
}

function requestOf(request: number): "attach" | "seize" {
  if (request === PTRACE_ATTACH) return "attach";
  if (request === PTRACE_SEIZE) return "seize";
  throw unreadable("request", request);
}

function accessOf(mode: number): "read" | "attach" {
  return mode & PTRACE_MODE_ATTACH ? "attach" : "read";
}

function fileOf(detail: number): Pick<ProcessFileEvent, "file" | "access"> {
  return {
    file: nameOf("file of a process", processFiles, (detail & ~FILE_WRITTEN) - 1),
    access: detail & FILE_WRITTEN ? "write" : "read",
  };
}

function nameOf<Name extends string>(field: string, names: readonly Name[], index: number): Name {
  const name = names[index];
  if (name === undefined) throw unreadable(field, index);
  return name;
}

function unreadable(field: string, value: number): AgentError {
  return new AgentError(
    "EVENT_UNREADABLE",
    `read an event of the kernel: unknown ${field} ${value}`,
  );
}
