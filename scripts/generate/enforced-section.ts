import {
  ATTEMPTS,
  type EnforcedSight,
  type TamperSight,
} from "../../e2e/kernels/enforced-table.ts";
import type { KernelSight } from "../../e2e/kernels/kernel-table.ts";
import { carriedOut, measuredBy } from "../../packages/agent/src/reference.ts";
import { listAttacks, listTampers } from "../../packages/testing/src/tools.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** A column: a kernel, and the actions of an agent that enforces on it. */
export interface EnforcedKernel {
  readonly attacks: Readonly<Record<string, KernelSight>>;
  readonly tampers: Readonly<Record<string, TamperSight>>;
}

/**
 * The part of the page about agents that enforce. @param letters of the kernels, in their order.
 */
export function enforcedSection(
  kernels: readonly EnforcedKernel[],
  letters: readonly string[],
): string {
  return [
    introduction,
    attackTable(kernels, letters),
    tampering,
    tamperTable(kernels, letters),
  ].join("\n\n");
}

const introduction = `## Enforcement

These are the same attacks with \`ENFORCE_MODE=true\`. Root with all capabilities makes each
${ATTEMPTS} times, each time in a new process.

- An errno: the agent's programs refused all ${ATTEMPTS} attempts with it, and no byte of the secret
  left.
- \`killed\`: the agent killed the process that made the attempt. "3 of ${ATTEMPTS} left" says how
  many of the processes had the secret by then, in memory that they share with others.
- \`detected\`: the agent killed the process, and the attempt had its effect all the same. \`/status\`
  says the same. A limit is set. "The victim does not go on": it received the signal before the agent
  killed the sender. It may have written a core dump with each value that it has copied to ordinary
  memory. [The guide](../guides/stop-the-attempts.md#core-dumps) says when.
- On the machine's own kernel (Linux 6.18, two processors, only tracing) none of 200 killed
  processes had the secret. One process opened and read, or another thread read, or another process
  that shares its descriptors. 150 processes read by a ring in each of seven ways
  (\`io-uring-*\`), and none of them had it either.
- \`seen\`: the agent reported it, and it continued. With kprobes the kernel cannot refuse to open a
  file. It refuses the use of the file instead.
- \`kernel: ERRNO\`: the kernel refuses it by itself, and the agent has nothing to report.
- **no**: it is not covered on that kernel.

A busy system works in the same way with and without the agent. Container runtimes work, too: runc
and crun start a container, list its processes, enter, pause, resume and end it while its program is
registered.`;

const tampering = `## Attacks on an enforcing agent

Root attacks the agent itself. "Stays" and "gone" say whether the memory of a registered program
could be read afterwards.`;

function attackTable(kernels: readonly EnforcedKernel[], letters: readonly string[]): string {
  const rows = listAttacks().map(({ name, does }) => [
    code(name),
    does,
    ...kernels.map(({ attacks }) => attackCell(name, attacks[name]?.enforced)),
  ]);
  return markdownTable(["Attack", "What it does", ...letters], rows);
}

/** Attacks that the kernel carries out although their actor dies. */
const inVain = carriedOut.flatMap((kind) => measuredBy[kind] ?? []);

function attackCell(attack: string, sight: EnforcedSight | undefined): string {
  if (sight === undefined)
    throw new TypeError("a table lacks an attack: run e2e/kernels/write-tables.ts");
  const { outcome, answer, leaked, victim } = sight;
  const stopped = outcome === "killed" && inVain.includes(attack) ? "detected" : outcome;
  if (victim === "ends") return `${stopped}, and the victim does not go on`;
  const left = leaked === 0 ? "" : `, ${leaked} of ${ATTEMPTS} left`;
  switch (outcome) {
    case "blocked":
      return answer === "ok" ? "blocked" : code(answer);
    case "killed":
      return `${stopped}${left}`;
    case "seen":
      return `seen${left}`;
    case "not covered":
      return answer === "ok" ? `**no**${left}` : `kernel: ${code(answer)}`;
  }
}

function tamperTable(kernels: readonly EnforcedKernel[], letters: readonly string[]): string {
  const rows = listTampers().map(({ name, does }) => [
    code(name),
    does,
    ...kernels.map(({ tampers }) => tamperCell(tampers[name])),
  ]);
  return markdownTable(["Tampering", "What it does", ...letters], rows);
}

function tamperCell(sight: TamperSight | undefined): string {
  if (sight === undefined)
    throw new TypeError("a table lacks a tampering: run e2e/kernels/write-tables.ts");
  const { answer, agent, protection } = sight;
  const rest = agent === "alive" ? [] : [`the agent has ${agent}`];
  return [
    answer === "ok" ? "ok" : code(answer),
    ...rest,
    protection === "stays" ? "stays" : "**gone**",
  ].join(", ");
}
