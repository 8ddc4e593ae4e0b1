import { eventOffsets as at } from "../events/event-layout.ts";

/** The length of a record of `struct svc_event`. */
export const EVENT_BYTES = 176;

/**
 * The record of an attempt of kind 2 (`process_vm_readv`). Each pid has another program, so that
 * attempts are not summed up.
 */
export function attemptBy(pid: number): DataView {
  const record = new DataView(new ArrayBuffer(EVENT_BYTES));
  record.setUint16(at.version, 2, true);
  record.setUint16(at.size, EVENT_BYTES, true);
  for (const field of ["kind", "mechanism", "decision"] as const) record.setUint8(at[field], 2);
  record.setUint32(at.actor_pid, pid, true);
  record.setBigUint64(at.actor_exe_inode, BigInt(pid), true);
  return record;
}
