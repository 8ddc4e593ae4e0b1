import { baoTool, consulTemplateTool, svcTool, vaultCliTool } from "./obtain-tools.ts";
import type { Peer, Surroundings, Tool } from "./peer.ts";

const shellFile = "secrets.sh";
/** The documentation of agents shows this for programs that want variables: a file to source. */
const sourcesFile = (application: string): readonly string[] => [
  "/bin/sh",
  "-c",
  `. ./${shellFile} && exec ${application}`,
];
const shellTemplate = `{{ with secret "secret/data/app" }}export DB_PASSWORD='{{ .Data.data.password }}'{{ end }}`;
const valueTemplate = `{{ with secret "secret/data/app" }}{{ .Data.data.password }}{{ end }}`;

/** All measured programs, and this project's wrapper by two of its deliveries. */
export const peers: readonly Peer[] = [
  {
    name: "bao agent, process supervisor",
    use: "`auto_auth` by token file, one `env_template`, `exec`",
    obtain: baoTool,
    launch: (tool, around) => ({
      files: {
        "agent.hcl": `${agentLogin(around)}
env_template "DB_PASSWORD" {
  contents = ${hclText(valueTemplate)}
  error_on_missing_key = true
}
exec {
  command = [${hclText(around.application)}]
  restart_on_secret_changes = "always"
  restart_stop_signal = "SIGTERM"
}
`,
      },
      commands: [{ words: [...tool.words, "agent", "-config=agent.hcl"] }],
    }),
  },
  {
    name: "bao agent, template",
    use: "`auto_auth` by token file, one `template` with mode 0600; the application's shell sources the file and becomes the application",
    obtain: baoTool,
    launch: (tool, around) => ({
      files: { "agent.hcl": `${agentLogin(around)}\n${templateBlock(around)}` },
      commands: [
        { words: [...tool.words, "agent", "-config=agent.hcl"] },
        { words: sourcesFile(around.application), after: shellFile },
      ],
    }),
  },
  {
    name: "consul-template, exec mode",
    use: "token by `vault_agent_token_file`, one `template` with mode 0600, `exec` of a shell that sources the file and becomes the application",
    obtain: consulTemplateTool,
    launch: (tool, around) => ({
      files: {
        "consul-template.hcl": `vault {
  address = ${hclText(around.address)}
  vault_agent_token_file = ${hclText(around.tokenFile)}
}
${templateBlock(around)}
exec {
  command = [${sourcesFile(around.application).map(hclText).join(", ")}]
}
`,
      },
      commands: [{ words: [...tool.words, "-config=consul-template.hcl"] }],
    }),
  },
  {
    name: "entrypoint script with bao kv get",
    use: "token by `bao`'s own token file, the value by command substitution, then `exec`",
    obtain: baoTool,
    launch: (tool, around) => ({
      env: { BAO_ADDR: around.address },
      commands: [{ words: ["/bin/sh", "-c", entrypoint(tool, around)] }],
    }),
  },
  {
    name: "vault-cli env",
    use: "token by VAULT_CLI_TOKEN_FILE, `env --envvar`, from a KV engine of version 1: it knows no other",
    obtain: vaultCliTool,
    launch: (tool, { address, tokenFile, application }) => ({
      env: { VAULT_CLI_URL: address, VAULT_CLI_TOKEN_FILE: tokenFile },
      commands: [
        {
          words: [...tool.words, "env", "--envvar=kv1/app:password=DB_PASSWORD", "--", application],
        },
      ],
    }),
  },
  ...["env", "inject"].map((delivery) => ({
    name: `svc-wrapper, ${delivery}`,
    use: `token by VAULT_TOKEN_FILE, \`--delivery=${delivery}\``,
    obtain: svcTool,
    launch: (tool: Tool, { address, tokenFile, application }: Surroundings) => ({
      env: {
        VAULT_ADDR: address,
        VAULT_TOKEN_FILE: tokenFile,
        SVC_SECRET_PATHS: "secret/data/app",
        SVC_ENV_MAP: "password=DB_PASSWORD",
        HEALTH_ADDR: "127.0.0.1:0",
      },
      commands: [{ words: [...tool.words, `--delivery=${delivery}`, "--", application] }],
    }),
  })),
];

function agentLogin({ address, tokenFile }: Surroundings): string {
  return `vault {
  address = ${hclText(address)}
}
auto_auth {
  method {
    type = "token_file"
    config = { token_file_path = ${hclText(tokenFile)} }
  }
}`;
}

/** The agent and consul-template share this part of their configuration. */
function templateBlock({ folder }: Surroundings): string {
  return `template {
  contents = ${hclText(shellTemplate)}
  destination = ${hclText(`${folder}/${shellFile}`)}
  perms = "0600"
  error_on_missing_key = true
}`;
}

function entrypoint({ words }: Tool, { application, tokenFile }: Surroundings): string {
  const login = `ln -s ${tokenFile} "$HOME/.vault-token"`;
  const fetched = `"$(${words.join(" ")} kv get -mount=secret -field=password app)"`;
  return `${login} && DB_PASSWORD=${fetched} && export DB_PASSWORD && exec ${application}`;
}

/** HCL's quoted text is JSON's, as long as none of HCL's template sequences is in it. */
function hclText(text: string): string {
  return JSON.stringify(text);
}
