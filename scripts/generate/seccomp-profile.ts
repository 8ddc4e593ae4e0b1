import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { markdownTable } from "./markdown-table.ts";
import { wrapperCalls } from "./system-calls/wrapper-calls.ts";

/** EPERM, as the default profiles of Docker and containerd have it. */
const REFUSED = 1;

/** A seccomp profile (OCI runtime-spec, config-linux.md) with the wrapper's system calls alone. */
export const seccompProfile: GeneratedFile = {
  path: "deploy/seccomp/svc-wrapper.json",
  // The formatter of JSON files keeps short lists on one line.
  render: () =>
    `${JSON.stringify(profile(), undefined, 2).replace(/\[\s+("SCMP_ARCH_\w+"),\s+("\w+")\s+\]/, "[$1, $2]")}\n`,
};

function profile(): object {
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: REFUSED,
    architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
    syscalls: [
      {
        names: wrapperCalls.flatMap(({ names }) => names).toSorted(),
        action: "SCMP_ACT_ALLOW",
      },
    ],
  };
}

/** The page with the same calls, for people who write their own profile. */
export const systemCallsPage: GeneratedFile = {
  path: "docs/reference/system-calls.md",
  render: () => `${generatedNotice}

# System calls of the wrapper

Your program runs under the seccomp profile of its container, and so does the wrapper. These are the
wrapper's calls. [guides/seccomp.md](../guides/seccomp.md) shows how to use the list.

${markdownTable(
  ["Purpose", "System calls"],
  wrapperCalls.map(({ purpose, names }) => [
    purpose,
    names
      .toSorted()
      .map((name) => `\`${name}\``)
      .join(", "),
  ]),
)}
`,
};
