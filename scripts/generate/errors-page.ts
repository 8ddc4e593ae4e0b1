import { agentErrorCatalogue } from "../../packages/agent/src/index.ts";
import { bootstrapErrorCatalogue } from "../../packages/bootstrap/src/index.ts";
import { cliErrorCatalogue } from "../../packages/cli/src/index.ts";
import { kubernetesErrorCatalogue } from "../../packages/kubernetes/src/index.ts";
import { imageErrorCatalogue } from "../../packages/operator/src/index.ts";
import { regionFormatErrorCatalogue } from "../../packages/protocol/src/index.ts";
import { vaultErrorCatalogue } from "../../packages/vault/src/index.ts";
import { wrapperErrorCatalogue } from "../../packages/wrapper/src/index.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

interface Meaning {
  readonly meaning: string;
  readonly hint?: string | undefined;
  readonly exitCode?: number;
  readonly retryable?: boolean;
}

/** `docs/reference/errors.md`, from the catalogues that the code itself uses. */
export const errorsPage: GeneratedFile = {
  path: "docs/reference/errors.md",
  render: () =>
    [
      generatedNotice,
      "# Errors",
      "",
      "Every error of svc has a code from a closed list. In the log it is the field `code`. Match the",
      "code in your own tools, never the text. The wrapper exits as `env(1)` does: 125 if the wrapper",
      "itself failed, 126 if the program cannot be executed, 127 if it does not exist. Otherwise it",
      "exits with the program's status, or with 128 + n if signal n ended the program.",
      "",
      ...section("Wrapper", wrapperErrorCatalogue),
      ...section("Vault client", vaultErrorCatalogue),
      ...section("Secret region", regionFormatErrorCatalogue),
      ...section("Store bootstrap", bootstrapErrorCatalogue),
      ...section("`svc` command", cliErrorCatalogue),
      ...section("Image lookup of the operator", imageErrorCatalogue),
      ...section("API server of Kubernetes", kubernetesErrorCatalogue),
      ...section("Kernel agent (`svc-agent`)", agentErrorCatalogue),
    ].join("\n"),
};

function section(title: string, catalogue: Readonly<Record<string, Meaning>>): readonly string[] {
  const rows = Object.entries(catalogue).map(([name, error]) => [
    code(name),
    error.meaning,
    error.hint ?? "",
    consequence(error),
  ]);
  return [`## ${title}`, "", markdownTable(["Code", "Meaning", "Hint", "Then"], rows), ""];
}

function consequence({ exitCode, retryable }: Meaning): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  if (retryable === undefined) return "";
  return retryable ? "tried again" : "final";
}
