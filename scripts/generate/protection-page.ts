import { protectionItems } from "../../packages/wrapper/src/reference.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** `docs/reference/protection.md`, from the table by which the wrapper counts. */
export const protectionPage: GeneratedFile = {
  path: "docs/reference/protection.md",
  render: () =>
    `${[generatedNotice, "# Protection score", introduction, table(), limits].join("\n\n")}\n`,
};

const introduction = `The wrapper examines each program that it has started, half a second after the start. It counts the protections
that it finds: 100 points if all hold. It assumes nothing. A protection that the wrapper may not examine counts as
missing, with the reason. The wrapper counts the agent's part again when the agent starts, ends, or changes its tier.

| Where | Content |
| --- | --- |
| log | one line, \`protection score 75 of 100\`, with \`missing\`: the incomplete protections. With SVC_LOG_LEVEL=debug a second line has the findings, and hints for the application's team. Again when the score changes, as a warning when it falls |
| \`GET /metrics\` | \`svc_wrapper_protection_score\`, \`svc_wrapper_protection_points\` and \`svc_wrapper_degraded\` by protection: [metrics.md](metrics.md) |
| \`GET /readyz\` | \`protectionScore\`: [health.md](health.md) |`;

function table(): string {
  const rows = protectionItems.map(({ protection, most, wanted, measured, hint, by }) => [
    code(protection),
    String(most),
    wanted,
    measured,
    hint,
    by === "application" ? "the application's team" : "the nodes' administrator",
  ]);
  return markdownTable(
    ["Protection", "Points", "Condition", "Measured by", "How to get it", "By"],
    rows,
  );
}

const limits = `## Limits

- The score describes the wrapper's own program. If a descendant of it keeps plain values, and the wrapper hears of it,
  \`environ\` gets no points.
- The score describes one moment. It does not cover later actions of the program (copies of values in its heap, logs). A
  program that ends within half a second has no score.
- A program that runs as root gets no points for \`dumpable\`: its files in /proc belong to root either way.
- 100 points do not mean that an attacker cannot take the values: [threat-model.md](../threat-model.md).`;
