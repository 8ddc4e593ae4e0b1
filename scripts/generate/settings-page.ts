import { agentVariables } from "../../packages/agent/src/reference.ts";
import {
  bootstrapVariables,
  resetCommandVariables,
  statusVariables,
  unsealVariables,
} from "../../packages/bootstrap/src/index.ts";
import {
  doctorFlags,
  explainFlags,
  injectFlags,
  refreshFlags,
  statusFlags,
} from "../../packages/cli/src/reference.ts";
import { operatorFlags } from "../../packages/operator/src/index.ts";
import {
  awsVariables,
  azureVariables,
  googleVariables,
} from "../../packages/operator/src/testdata/index.ts";
import { flagOf, type Variable } from "../../packages/settings/src/index.ts";
import { wrapperVariables } from "../../packages/wrapper/src/reference.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";
import { commandLineSection, formatSections } from "./settings-formats.ts";

/** The reference of every setting. */
export const settingsPage: GeneratedFile = {
  path: "docs/reference/settings.md",
  render: renderSettings,
};

const introduction = `# Settings

This page is generated from the tables that the programs themselves read. To change it, change the
table and run \`bun scripts/generate.ts\`.

## How settings are read

- An empty variable counts as not set. In Kubernetes a value that a template omits becomes an empty
  string, and no setting has an empty string as a value.
- svc does not trim or guess, and never replaces a malformed value by a default. It does not start
  the program, and reports **every** problem at once, by name:

  \`\`\`
  SVC_ROTATION: must be one of restart, sighup, none: got "retsart"
  hint: did you mean restart?
  \`\`\`

- A flag takes precedence over its variable, even over a malformed one.
- A boolean is only \`1 t T TRUE true True\` or \`0 f F FALSE false False\`, as in Go.
- A name that resembles a setting (\`SVC_SECRET_PATH\`) gets a warning. svc ignores other unknown
  names, because Kubernetes sets names such as \`SVC_PORT\` for a Service called \`svc\`.
- The wrapper removes its own variables, those on this page, from the program's environment, unless
  SVC_PASS_ENV names them. Every other variable stays, also \`SVC_PORT\` or \`VAULT_SERVICE_HOST\`.
  SVC_LOG_LEVEL=debug logs the names of the removed variables.
- No message shows a token, the words of SVC_ORIGINAL_CMD and SVC_ORIGINAL_ARGS, or the value of an
  unknown flag.`;

const bootstrapRows: readonly Variable[] = [
  ...Object.values(bootstrapVariables),
  ...Object.values(unsealVariables),
  ...Object.values(resetCommandVariables),
];

/** Which of the rows the smaller commands know. */
function bootstrapIntroduction(): string {
  const groups = [...new Set(Object.values(statusVariables).map(({ group }) => group))];
  const { dataClaim } = resetCommandVariables;
  const unseal = ownFlags(unsealVariables);
  const reset = ownFlags(resetCommandVariables);
  return `\`svc secretstore init\` has all of these settings except ${unseal}, which belongs to \`svc secretstore unseal\`, and
${reset}, which belongs to \`svc secretstore reset\`. These two and \`svc secretstore status\` have the settings of the
groups ${groups.join(", ")}. \`reset\` has ${code(dataClaim.name)} as well.`;
}

/** The flags of a command alone. */
function ownFlags(table: Readonly<Record<string, Variable>>): string {
  const others: readonly Variable[] = Object.values(bootstrapVariables);
  const own = Object.values(table).filter((row) => !others.includes(row));
  return own.map((row) => code(`--${flagOf(row)}`)).join(", ");
}

function renderSettings(): string {
  const parts = [
    generatedNotice,
    introduction,
    "## Wrapper",
    ...tableSections(Object.values(wrapperVariables)),
    commandLineSection(),
    "## Store bootstrap (`svc secretstore`)",
    bootstrapIntroduction(),
    ...tableSections([...new Set<Variable>(bootstrapRows)]),
    "## Operator (`svc-operator`)",
    operatorIntroduction,
    ...tableSections(Object.values(operatorFlags)),
    "### Identities at clouds",
    identityTables(),
    "## Kernel agent (`svc-agent`)",
    ...tableSections(Object.values(agentVariables)),
    "## `svc inject`",
    "These are its own flags. It also has the operator's flags of the groups Injection and Image lookup, all optional.",
    ...tableSections(ownRows(injectFlags)),
    "## `svc explain`",
    ...tableSections(ownRows(explainFlags)),
    "## `svc refresh`",
    ...tableSections(ownRows(refreshFlags)),
    "## `svc status`",
    ...tableSections(ownRows(statusFlags)),
    "## `svc doctor`",
    ...tableSections(ownRows(doctorFlags)),
    ...formatSections(),
  ];
  return `${parts.join("\n\n")}\n`;
}

const operatorIntroduction = `The operator uses only its flags, the files of its service account and the Kubernetes API. It reads
only the variables of its cloud identities from its environment, for the logins of \`--registry-logins\`
([guide](../guides/private-images.md)). A list has commas between its items. The chart has a value for each flag, or
sets it itself.`;

/** The only variables that the operator reads, by the sources that they are for. */
function identityTables(): string {
  const tables = { aws: awsVariables, google: googleVariables, azure: azureVariables };
  const rows = Object.entries(tables).flatMap(([source, variables]) =>
    Object.entries(variables).map(([name, meaning]) => [code(source), code(name), meaning]),
  );
  const table = markdownTable(["Source", "Variable", "Meaning"], rows);
  return `Variables of the operator's environment. It reads each only if \`--registry-logins\` has its source.\n\n${table}`;
}

function ownRows(table: Readonly<Record<string, Variable>>): readonly Variable[] {
  return Object.values(table).filter(({ group }) => group === "This command");
}

function tableSections(rows: readonly Variable[]): readonly string[] {
  const groups = [...new Set(rows.map(({ group }) => group))];
  return groups.map((group) => groupSection(group, rows));
}

function groupSection(group: string, rows: readonly Variable[]): string {
  const header = ["Variable", "Flag", "Required", "Default", "Type", "Meaning"];
  const members = rows.filter((row) => row.group === group);
  // A column in which nothing would stand.
  const from = members.every(({ flagOnly }) => flagOnly) ? 1 : 0;
  const cells = members.map((row) => rowCells(row).slice(from));
  return `### ${group}\n\n${markdownTable(header.slice(from), cells)}`;
}

function rowCells(row: Variable): readonly string[] {
  return [
    row.flagOnly ? "" : code(row.name),
    flagText(row),
    requiredText(row),
    row.default === undefined ? "none" : code(row.default),
    row.type,
    row.meaning,
  ];
}

function flagText(row: Variable): string {
  const { short } = row;
  const flag = flagOf(row);
  if (flag === undefined) return "none";
  return short === undefined ? code(`--${flag}`) : `${code(`--${flag}`)}, ${code(`-${short}`)}`;
}

function requiredText({ requiredness }: Variable): string {
  if (typeof requiredness === "object") return requiredness.conditional;
  return requiredness === "yes" ? "Yes" : "No";
}
