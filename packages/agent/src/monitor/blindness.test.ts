import { describe, expect, test } from "bun:test";
import { SyscallError, UnsupportedFeatureError } from "@svc/kernel";
import { blindnessCause, type LoadSurroundings, refusedAll } from "./blindness.ts";

const EPERM = 1;
const ESRCH = 3;
const ENOMEM = 12;
const EINVAL = 22;
const ENOSYS = 38;
const UNNAMED = 999;

const machine: LoadSurroundings = {
  kernel: "6.12.1",
  btf: true,
  lockdown: "none",
  missingCapabilities: [],
};

const load = (errno: number) => new SyscallError("bpf_object__load", errno);

describe("an agent that cannot load names the cause and a way out:", () => {
  const rows: readonly (readonly [
    name: string,
    error: Error,
    facts: Partial<LoadSurroundings>,
    reason: RegExp,
    hint: RegExp,
  ])[] = [
    [
      "a kernel without types",
      load(ESRCH),
      { btf: false },
      /^the kernel has no types \(BTF\).*\/sys\/kernel\/btf\/vmlinux.*\/boot\/vmlinux-/,
      /CONFIG_DEBUG_INFO_BTF=y/,
    ],
    [
      "a kernel with types that lacks a function",
      load(ESRCH),
      {},
      /ESRCH \(the kernel has no function or type/,
      /Linux 6\.12\.1: use 5\.17/,
    ],
    [
      "missing capabilities",
      load(EPERM),
      { missingCapabilities: ["CAP_BPF", "CAP_PERFMON"] },
      /^the agent lacks CAP_BPF, CAP_PERFMON \(bpf_object__load: EPERM\)$/,
      /AmbientCapabilities/,
    ],
    ["a refusal of the kernel", load(EPERM), {}, /EPERM \(a capability, a seccomp/, /seccomp/],
    ["a locked kernel", load(EPERM), { lockdown: "confidentiality" }, /EPERM/, /lockdown=/],
    ["a kernel without bpf(2)", load(ENOSYS), {}, /CONFIG_BPF_SYSCALL\)$/, /CONFIG_BPF_SYSCALL/],
    ["an older kernel", load(EINVAL), {}, /EINVAL \(the kernel does not know/, /5\.17 or later/],
    ["too little memory", load(ENOMEM), {}, /too little memory/, /memory limit/],
    ["an error without a name", load(UNNAMED), {}, /^bpf_object__load: E999$/, /5\.17/],
    [
      "a machine without libbpf",
      new UnsupportedFeatureError("libbpf.so.1", "libbpf 1.0", undefined),
      { btf: false },
      /^libbpf\.so\.1 is not available/,
      /^install libbpf 1\.0$/,
    ],
  ];
  for (const [name, error, facts, reason, hint] of rows) {
    test(name, () => {
      const cause = blindnessCause(error, { ...machine, ...facts });
      expect(cause).toEqual({
        reason: expect.stringMatching(reason),
        hint: expect.stringMatching(hint),
      });
    });
  }

  test("a kernel that refuses each program for the same reasons: each reason counts once", () => {
    const { reason } = refusedAll(["EPERM", "EPERM", "EINVAL"], machine);
    expect(reason).toBe("the kernel refuses each program: EPERM, and 1 other reasons in /status");
  });
});
