import { readFileSync, statSync } from "node:fs";
import { AgentError } from "../agent-error.ts";
import { type Machine, machineOf } from "../monitor/machine.ts";

const MOST_BYTES = 16 * 1024 * 1024;
const ELF = [0x7f, 0x45, 0x4c, 0x46];

/**
 * Reads the BPF object. That of another architecture would look into the wrong registers, for other
 * calls.
 *
 * @param machine that it has to be for; by default this one
 * @throws AgentError `ARCHITECTURE_UNSUPPORTED`, `OBJECT_UNUSABLE`
 */
export function readObject(path: string, machine: Machine = machineOf()): Uint8Array {
  let bytes: Uint8Array;
  try {
    if (statSync(path).size > MOST_BYTES) throw unusable(path, `more than ${MOST_BYTES} bytes`);
    bytes = new Uint8Array(readFileSync(path));
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw unusable(path, error instanceof Error && "code" in error ? String(error.code) : "failed");
  }
  if (!ELF.every((byte, index) => bytes[index] === byte))
    throw unusable(path, "it is not an ELF file");
  const { objectMark } = machine;
  if (Buffer.from(bytes.buffer).includes(`${objectMark}\0`)) return bytes;
  throw unusable(path, `it has no ${objectMark}: it is of another architecture or release`);
}

function unusable(path: string, found: string): AgentError {
  return new AgentError("OBJECT_UNUSABLE", `read EBPF_OBJECT_PATH (${path}): ${found}`);
}
