import { architecture } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";

/** The facts about an architecture that the agent needs beside its BPF object. */
export interface Machine {
  /** The text in the section `svc.architecture` of its object. */
  readonly objectMark: string;
  /** Before the name of a system call in that of its function, for code of 64 bits. */
  readonly callPrefix: string;
  /** By which other code comes to the same calls. */
  readonly otherPrefixes: readonly string[];
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    objectMark: "svc-programs-for:x64",
    callPrefix: "__x64_sys_",
    // Those of x32 and of 32 bits: arch/x86/include/asm/syscall_wrapper.h, sys_ia32.c.
    otherPrefixes: [
      ...["__x64_compat_sys_", "__ia32_sys_", "__ia32_compat_sys_"],
      ...["__ia32_sys_ia32_", "__ia32_compat_sys_ia32_"],
    ],
  },
  arm64: {
    objectMark: "svc-programs-for:arm64",
    callPrefix: "__arm64_sys_",
    // Those of AArch32: arch/arm64/include/asm/syscall_wrapper.h, kernel/sys32.c.
    otherPrefixes: ["__arm64_compat_sys_", "__arm64_compat_sys_aarch32_"],
  },
};

/**
 * The facts about an architecture, by Node's name of it. The default is this machine's.
 *
 * @throws AgentError `ARCHITECTURE_UNSUPPORTED`
 */
export function machineOf(name: string = architecture): Machine {
  const machine = machines[name];
  if (machine !== undefined) return machine;
  const known = Object.keys(machines).join(", ");
  throw new AgentError(
    "ARCHITECTURE_UNSUPPORTED",
    `watch the kernel of this machine: its architecture is ${name}, want one of ${known}`,
  );
}
