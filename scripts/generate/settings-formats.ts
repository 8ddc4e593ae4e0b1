import {
  type Mapping,
  type Parser,
  parseEnvMap,
  parseGoDuration,
  parseKvPath,
  parseListenAddress,
  parseSocketAddress,
  parseWords,
} from "../../packages/settings/src/index.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** How the command line is written. */
export function commandLineSection(): string {
  return `## Command line

\`\`\`
svc-wrapper [FLAGS] -- PROGRAM [ARGUMENT...]
svc-wrapper [FLAGS]
svc-wrapper --once-ready [-- COMMAND [ARGUMENT...]]
svc-wrapper --install FOLDER
\`\`\`

- \`--flag=VALUE\` and \`--flag VALUE\` mean the same. A value that begins with \`--\` needs the \`=\`.
- A boolean flag may stand alone: \`--require-mlock\` is \`--require-mlock=true\`.
- A flag may be given once. There are no short forms but \`-h\` (\`--help\`) and \`-V\` (\`--version\`).
- \`--\` ends the flags. The words after it are the program and its arguments, to the byte, without
  a shell; SVC_ORIGINAL_CMD and SVC_ORIGINAL_ARGS are then not looked at.
- There is no flag for the token: every user of the machine can read a command line. Use
  VAULT_TOKEN_FILE, \`--vault-token-file\` or VAULT_TOKEN.
- \`--once-ready\` is the first word, and takes no flags. It is for the commands of probes, and reads
  HEALTH_ADDR, SVC_BROKER_TLS_CERT and SVC_BROKER_TLS_KEY alone:
  [health.md](health.md#commands-of-probes).
- \`--install\` is the first word, and takes no flags. It is for init containers, and reads no
  variable: [any-image.md](../guides/any-image.md#ways-to-get-it-there).

\`\`\`sh
svc-wrapper --vault-addr=https://vault.example:8200 --vault-auth-role=app \\
  --secrets=DB_PASSWORD,API_KEY=secret/data/api#key -- ./server --port 80
\`\`\``;
}

/** How values are written, with examples that went through the parsers themselves. */
export function formatSections(): readonly string[] {
  return [
    secretPathSection(),
    envMapSection(),
    secretsFlagSection(),
    durationSection(),
    addressSection(),
    wordsSection(),
  ];
}

function secretPathSection(): string {
  return `## Paths of secrets

\`path = mount "/data/" name [ "#" version ]\`, several of them between commas. The mount may have
several segments. Without a version the newest is read. White space around a path does not count.

In a path and in the name of a field these codes stand for characters that mean something else here:

| Code | \`%2C\` | \`%3B\` | \`%23\` | \`%3F\` | \`%2A\` | \`%25\` |
|---|---|---|---|---|---|---|
| Character | \`,\` | \`;\` | \`#\` | \`?\` | \`*\` | \`%\` |

svc refuses another use of \`%\`, such as \`%20\`: write every other character as it is
([0099](../decisions/0099-reserved-characters.md)). The same holds for annotations, SvcConfigs and
\`--secrets\`. In a file of \`svc dev\` write every character as it is.

${examples(["secret/data/app", "team/kv/data/app/db", "secret/data/app#3", "secret/data/a%2Cb"], parseKvPath, ({ path, version }) => `${version === undefined ? "the newest version" : `version ${version}`} of ${code(path)}`)}`;
}

function envMapSection(): string {
  return `## Environment map

\`\`\`
map     = group *( ";" group )      one group for each path of SVC_SECRET_PATHS, in order
group   = mapping *( "," mapping )
mapping = field "=" VARIABLE        one field under its own name
        | "*=" PREFIX "*"           every field under PREFIX followed by the field's name
        | "*=*"                     every field under its own name
\`\`\`

- White space around groups, mappings and names does not count.
- A variable has printable characters, as Kubernetes allows them: \`my-key\` and
  \`spring.datasource.password\` too. It has no \`=\`, and in a map no \`,\` \`;\` and \`*\`. It is named
  once in the whole map. Some shells drop names with dashes and dots ([guides/delivery.md](../guides/delivery.md#names-of-variables)).
- A field may contain every character except control characters. Write \`,\` \`;\` and \`%\` as codes,
  as in paths. The last \`=\` counts.
- svc refuses an empty group, an empty mapping, and a superfluous comma or semicolon.
- It refuses \`SVC_SECRET_FD\`, \`GLIBC_TUNABLES\`, \`LD_*\` and \`BASH_FUNC_*%%\`. The first belongs to the
  wrapper, the next two control the dynamic loader, and the last defines a function in bash. Every
  other name is allowed, also \`VAULT_*\` and \`SVC_*\`.
- The wrapper checks the names from \`*\` when it has fetched the secret. It does not start the program
  if a field has no name, a name has a \`=\` or a control character, or a name is a duplicate or
  reserved.

${examples(
  [
    "password=DB_PASSWORD",
    "field1=VAR1,field2=VAR2;field3=VAR3",
    "password=spring.datasource.password",
    "*=DB_*",
    "*=*",
  ],
  parseEnvMap,
  (groups) => groups.map(groupText).join("; "),
)}`;
}

function groupText(mappings: readonly Mapping[], index: number): string {
  return `path ${index + 1}: ${mappings.map(mappingText).join(", ")}`;
}

function mappingText(mapping: Mapping): string {
  if (mapping.kind === "field") return `${code(mapping.field)} as ${code(mapping.variable)}`;
  return mapping.prefix === ""
    ? "every field under its own name"
    : `every field under its name after ${code(mapping.prefix)}`;
}

function secretsFlagSection(): string {
  const rows = [
    [
      "`KEY`, with SVC_SECRET_PATHS",
      "the field `KEY`, looked for in all the paths. It must be in exactly one of them",
    ],
    ["`KEY`, without", "the secret `secret/data/KEY`: its field `value`, else its only field"],
    ["`VAR=mount/data/path#field`", "that field, delivered as `VAR`"],
    ["`VAR=mount/data/path#field#3`", "the same, of version 3"],
    ["`VAR=mount/data/path`", "the field `value` of that secret, else its only field, as `VAR`"],
  ];
  return `## The flag --secrets

This is the short form of paths and map for direct use: items between commas. A \`KEY\` is delivered under
its own name. Each name may occur once. svc refuses the flag together with SVC_ENV_MAP. It also refuses a
lone number after \`#\`, because that could be a version or a field.

${markdownTable(["Item", "Delivers"], rows)}`;
}

function durationSection(): string {
  return `## Durations

As in Go: a sequence of numbers, each with an optional fraction and a unit. The units are \`ns\`, \`us\` (or
\`µs\`), \`ms\`, \`s\`, \`m\`, \`h\`; \`0\` needs none. svc refuses signs, and durations beyond Go's 64 bits of
nanoseconds. A timer waits for 596h31m23.647s at most, so svc refuses longer durations of timers.

${examples(["30s", "1h30m", "1.5s", "250ms", "0"], parseGoDuration, (ms) => `${ms} ms`)}`;
}

function addressSection(): string {
  return `## Addresses

An address to listen on:

${examples(
  [":8199", "127.0.0.1:8199", "[::1]:8199", ":0"],
  parseListenAddress,
  ({ host, port }) =>
    `${port === 0 ? "any free port" : `port ${port}`} of ${host === "" ? "every address" : code(host)}`,
)}

The address of a server:

${examples(["unix:///var/run/svc/agent.sock", "10.0.0.1:9443"], parseSocketAddress, code)}`;
}

function wordsSection(): string {
  return `## Words of a command

A JSON array of strings, or words between white space. The second form has no quotes and no escapes. A
text that begins with \`[\`, \`{\` or \`"\` is JSON: if it does not parse, svc refuses it, and never splits it.

${examples(['["sh", "-c", "echo hello"]', "/bin/server --port 80"], parseWords, (words) =>
  words.map(code).join(" "),
)}`;
}

/** A table of texts and the parser's results. */
function examples<T>(
  texts: readonly string[],
  parse: Parser<T>,
  explain: (value: T) => string,
): string {
  const rows = texts.map((text) => {
    const parsed = parse(text);
    if (!parsed.ok) throw new RangeError(`example of the reference: refused: "${text}"`);
    return [code(text), explain(parsed.value)];
  });
  return markdownTable(["Text", "Meaning"], rows);
}
