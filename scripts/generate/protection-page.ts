import { protectionItems } from "../../packages/wrapper/src/protection/protection-items.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** `docs/reference/protection.md`, from the table by which the wrapper counts. */
export const protectionPage: GeneratedFile = {
  path: "docs/reference/protection.md",
  render: () =>
    `${[generatedNotice, "# Protection score", introduction, table(), limits].join("\n\n")}\n`,
};

const introduction = `The wrapper looks at each program that it has started, half a second after the start, and counts what it has
found: 100 points where everything holds. Nothing is assumed: what the wrapper is not allowed to look at counts as
missing, and the reason is said. The agent's part is counted anew whenever the agent comes, goes, or changes its tier.

| Where | What |
| --- | --- |
| log | one line, \`protection score 75 of 100\`, with \`missing\`: the protections that are not whole. With SVC_LOG_LEVEL=debug a second line says what was found, and how the application's team gets the rest. Again when the score changes, as a warning when it falls |
| \`GET /metrics\` | \`svc_wrapper_protection_score\`, \`svc_wrapper_protection_points\` and \`svc_wrapper_degraded\` by protection: [metrics.md](metrics.md) |
| \`GET /readyz\` | \`protectionScore\`: [health.md](health.md) |`;

function table(): string {
  const rows = protectionItems.map(({ protection, most, wanted, measured, hint, by }) => [
    code(protection),
    String(most),
    wanted,
    measured,
    hint,
    by === "application" ? "the application's team" : "who runs the nodes",
  ]);
  return markdownTable(
    ["Protection", "Points", "Condition", "Measured by", "How to get it", "By"],
    rows,
  );
}

const limits = `## What it does not say

- It is about the process that the wrapper stands for. A program that this one has started, and
  that keeps plain values, takes away \`environ\`, as far as the wrapper hears of it.
- It is a look at one moment: what a program does later (copies of values in its heap, logs) is not in it, and a program that ends within half a
  second has none.
- A program that runs as root has no \`dumpable\`: its files in /proc belong to root either way.
- 100 points do not mean that nobody can take the values: [threat-model.md](../threat-model.md).`;
