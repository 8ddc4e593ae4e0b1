import { guestKernels } from "../../e2e/kernels/guest-kernels.ts";
import { goldenTable } from "../../e2e/kernels/kernel-table.ts";
import { imagePlans } from "../images/image-plan.ts";
import { packagePlans } from "../release/package-plan.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";
import { machines } from "./system-calls/machines.ts";

/**
 * `docs/reference/architectures.md`, from the plans of images and packages and the golden tables.
 */
export const architecturesPage: GeneratedFile = {
  path: "docs/reference/architectures.md",
  render: () => {
    const parts = [generatedNotice, introduction, partsTable(), agentText, callsTable()];
    return `${[...parts, testedText, testedTable(), notTested].join("\n\n")}\n`;
  },
};

const titles = { x64: "x86-64", arm64: "arm64" } as const;
const both = ["x64", "arm64"] as const;

const introduction = `# Architectures

Each part for each architecture, as \`make images\` and \`make release\` make it. The BPF object is part of the agent's image and package.`;

function partsTable(): string {
  const rows = imagePlans.map(({ name, architectures }) => {
    const plan = packagePlans.find((found) => found.name === name);
    const cells = both.map((architecture) => {
      const kinds = [
        ...(architectures.includes(architecture) ? ["image"] : []),
        ...(plan?.architectures.includes(architecture) ? ["package"] : []),
      ];
      return kinds.length === 0 ? "—" : kinds.join(", ");
    });
    return [code(name), ...cells];
  });
  return markdownTable(["Part", ...both.map((name) => titles[name])], rows);
}

const agentText = `## The kernel agent

| | x86-64 | arm64 |
|---|---|---|
| BPF LSM, and \`fmod_ret\` on functions | Linux 5.11 | Linux 6.4, and no CONFIG_CFI |
| Without those (\`tracing\`) | Linux 6.2 for callers of the initial pid namespace, 6.14 for all | the same |
| kprobes that refuse (\`override\`) | with CONFIG_BPF_KPROBE_OVERRIDE | the same |
| Code that it watches | 64 bits, 32 bits, x32 | 64 bits, 32 bits (AArch32) |

On another architecture the agent ends with \`ARCHITECTURE_UNSUPPORTED\`. Each BPF object has a mark of its architecture.
The agent refuses an object of another architecture with \`OBJECT_UNUSABLE\`. On an arm64 kernel before 6.4 the agent
runs. At its start it logs the programs that the kernel has refused, and \`/status\` lists the kinds that are not
covered.

The numbers of system calls come from the kernel's headers. The files \`bpf/calls_*.h\` hold them:`;

function callsTable(): string {
  const rows = machines.flatMap(({ name, numberings }) =>
    numberings.map(({ code: kind, header }) => [
      name === "x86" ? titles.x64 : titles.arm64,
      kind,
      `${code(header.header)} of ${code(header.debianPackage)}`,
    ]),
  );
  return markdownTable(["Architecture", "Code", "Header"], rows);
}

const testedText = "`make e2e-kernel` tests the agent with every attack on these kernels:";

function testedTable(): string {
  const rows = guestKernels.map(({ name, title }) => {
    const { kernel, tier } = goldenTable(name);
    return [title, code(kernel), kernel.endsWith("-arm64") ? titles.arm64 : titles.x64, code(tier)];
  });
  return markdownTable(["Kernel", "Release", "Architecture", "Tier"], rows);
}

const notTested = `The guests run under QEMU's emulation, with one processor. Not tested: real arm64 machines, kernels with pages of
16 or 64 KiB, \`override\` on arm64, AArch64 in big-endian.`;
