import { systemCallTable } from "../libc/system-call-numbers.ts";

// linux/bpf_common.h, linux/filter.h
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const RETURN = 0x06;
// linux/seccomp.h
const RET_ALLOW = 0x7fff_0000;
const RET_USER_NOTIF = 0x7fc0_0000;
// struct seccomp_data: the number, the architecture, the instruction, six arguments.
const NUMBER = 0;
const ARCHITECTURE = 4;
const FOURTH_ARGUMENT = 16 + 3 * 8;

/** Calls that notify, by AUDIT_ARCH of linux/audit.h; the first is the machine's own. */
interface Personality {
  readonly audit: number;
  readonly execs: readonly number[];
}

/** x32 has the audit number of x86-64, and its own numbers. */
const personalities: Readonly<Record<string, readonly [Personality, Personality]>> = {
  x64: [
    { audit: 0xc000_003e, execs: [59, 322, 0x4000_0000 + 520, 0x4000_0000 + 545] },
    { audit: 0x4000_0003, execs: [11, 358] },
  ],
  arm64: [
    { audit: 0xc000_00b7, execs: [221, 281] },
    { audit: 0x4000_0028, execs: [11, 387] },
  ],
};

export interface ExecFilterOptions {
  /** Node's name of the architecture. */
  readonly architecture: string;
  /** An execve with this fourth argument, which execve(2) has not, is let through. 32 bits. */
  readonly pass: number;
  /** True if changes of a thread's user and group notify, too. */
  readonly changesOfUser: boolean;
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

/**
 * A filter that notifies its listener of every execve and execveat, of programs of 32 bits, too,
 * and allows everything else; classic BPF of seccomp(2).
 */
export function execFilter({ architecture, pass, changesOfUser }: ExecFilterOptions): Uint8Array {
  const personality = personalities[architecture];
  if (personality === undefined) throw new TypeError(`no filter for ${architecture}`);
  const [native, compat] = personality;
  const { execve, changesOfUser: userCalls } = systemCallTable(architecture);
  const notifying = [
    ...native.execs.filter((number) => number !== execve),
    ...(changesOfUser ? userCalls : []),
  ];
  return assemble([
    { load: ARCHITECTURE },
    { equals: native.audit, to: "native" },
    { equals: compat.audit, to: "compat" },
    { result: RET_ALLOW },
    { label: "compat" },
    { load: NUMBER },
    ...compat.execs.map((number) => ({ equals: number, to: "notify" })),
    { result: RET_ALLOW },
    { label: "native" },
    { load: NUMBER },
    { equals: execve, to: "execve" },
    ...notifying.map((number) => ({ equals: number, to: "notify" })),
    { result: RET_ALLOW },
    { label: "execve" },
    { load: FOURTH_ARGUMENT },
    { equals: pass, to: "allow" },
    { label: "notify" },
    { result: RET_USER_NOTIF },
    { label: "allow" },
    { result: RET_ALLOW },
  ]);
}

type Line =
  | { readonly load: number }
  | { readonly equals: number; readonly to: string }
  | { readonly result: number }
  | { readonly label: string };

/** Jumps lead forward only, at most 255 instructions. */
function assemble(lines: readonly Line[]): Uint8Array {
  const places = new Map<string, number>();
  const code: Exclude<Line, { readonly label: string }>[] = [];
  for (const line of lines) {
    if ("label" in line) places.set(line.label, code.length);
    else code.push(line);
  }
  const bytes = new Uint8Array(code.length * 8);
  const view = new DataView(bytes.buffer);
  code.forEach((line, index) => {
    const [operation, ifTrue, ifFalse, operand] = instructionOf(line, index, places);
    view.setUint16(8 * index, operation, true);
    view.setUint8(8 * index + 2, ifTrue);
    view.setUint8(8 * index + 3, ifFalse);
    view.setUint32(8 * index + 4, operand, true);
  });
  return bytes;
}

function instructionOf(
  line: Exclude<Line, { readonly label: string }>,
  index: number,
  places: ReadonlyMap<string, number>,
): Instruction {
  if ("load" in line) return [LOAD, 0, 0, line.load];
  if ("result" in line) return [RETURN, 0, 0, line.result];
  return [JUMP_EQUAL, (places.get(line.to) ?? 0) - index - 1, 0, line.equals];
}
