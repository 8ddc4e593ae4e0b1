import { goldenTable as ownTable } from "../../e2e/agent/golden/golden-table.ts";
import { guestKernels } from "../../e2e/kernels/guest-kernels.ts";
import { type DetectedSight, goldenTable } from "../../e2e/kernels/kernel-table.ts";
import { type Attack, listAttacks } from "../../packages/testing/src/tools.ts";
import { enforcedSection } from "./enforced-section.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";
import { unseenReason } from "./unseen-reason.ts";

/** A column of the page: a kernel, and the attacks that are seen there. */
interface SeenKernel {
  readonly name: string;
  readonly title: string;
  readonly kernel: string;
  readonly tier: string;
  readonly attacks: Readonly<Record<string, DetectedSight>>;
}

/** `docs/reference/attacks.md`, from the golden tables. */
export const attacksPage: GeneratedFile = {
  path: "docs/reference/attacks.md",
  render: () => {
    const kernels = seenKernels();
    const { table, notes } = attackTable(kernels);
    const guests = guestKernels.map(({ name }) => goldenTable(name));
    const enforced = enforcedSection(guests, guests.map(letterOf));
    const parts = [generatedNotice, introduction, kernelTable(kernels), table, notes, enforced];
    return `${parts.join("\n\n")}\n`;
  },
};

const introduction = `# Coverage of each attack, by kernel

This page lists every attack of \`bun scripts/attack.ts --list\`, on kernels as Debian builds them,
with the agent's event and the mechanism that reported it. \`make e2e-kernel\` boots the kernels in
QEMU and compares. This page is made from the tables that it compares with (\`e2e/kernels/golden\`).
On all kernels a busy system (\`ps\`, \`top\`, \`nsenter\`, a build) makes no event for a process without
values in its environment.`;

function seenKernels(): readonly SeenKernel[] {
  const guests = guestKernels.map(({ name, title }) => ({ name, title, ...goldenTable(name) }));
  const { kernel, attacks } = ownTable("linux-6.18-tracing");
  const hookless = { name: "linux-6.18", title: "6.18 without hooks, modules and tracefs" };
  return [...guests, { ...hookless, kernel, attacks, tier: "tracing" }];
}

function kernelTable(kernels: readonly SeenKernel[]): string {
  const rows = kernels.map(({ title, kernel, tier }, index) => [
    letterOf(undefined, index),
    title,
    code(kernel),
    code(tier),
  ]);
  return markdownTable(["", "Kernel", "Release", "Tier that the agent chooses"], rows);
}

function letterOf(_: unknown, index: number): string {
  return String.fromCharCode(65 + index);
}

/** Every attack, and why some are not seen. */
function attackTable(kernels: readonly SeenKernel[]) {
  const reasons: string[] = [];
  const noteOf = (reason: string): number => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return reasons.indexOf(reason) + 1;
  };
  const rows = listAttacks().map((attack) => {
    const phrase = usualPhrase(attack, kernels);
    const cells = kernels.map(({ name, attacks }) => {
      const sight = attacks[attack.name];
      if (sight === undefined)
        throw new TypeError(
          `${name} has no attack "${attack.name}": run e2e/kernels/write-tables.ts`,
        );
      const { seen, by = "tracing", answer } = sight;
      if (seen.length === 0) return `no (${noteOf(unseenReason(name, attack.name, answer))})`;
      const words = seen.join(", ");
      return words === phrase ? by : `${by}: ${code(words)}`;
    });
    return [code(attack.name), attack.does, phrase === "" ? "" : code(phrase), ...cells];
  });
  const header = ["Attack", "What it does", "Event"];
  const letters = kernels.map(letterOf);
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return {
    table: markdownTable([...header, ...letters], rows),
    notes: ["Reasons for attacks without an event:", "", ...notes].join("\n"),
  };
}

/** The kind that most kernels report. */
function usualPhrase({ name }: Attack, kernels: readonly SeenKernel[]): string {
  const phrases = kernels.map(({ attacks }) => attacks[name]?.seen.join(", ") ?? "");
  const seen = phrases.filter((phrase) => phrase !== "");
  const countOf = (phrase: string): number => seen.filter((other) => other === phrase).length;
  return seen.toSorted((a, b) => countOf(b) - countOf(a))[0] ?? "";
}
