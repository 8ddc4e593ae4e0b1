import { dirname, join } from "node:path";
import { environmentEntries, hearOfChildren, valueBytes } from "@svc/kernel";
import { version } from "@svc/protocol";
import { Command, InvalidArgumentError } from "commander";
import { dev } from "./commands/dev.ts";
import { CliError, cliErrorCatalogue } from "./errors.ts";
import { callHolder, isCaller } from "./secretstore/holder.ts";
import { neededOutput } from "./write-output.ts";

const USAGE_EXIT_CODE = 125;
const say = (line: string) => void process.stderr.write(`svc: ${line}\n`);

hearOfChildren();

const program = new Command("svc")
  .description("Secrets for programs, without leaving them in places that others can read.")
  .version(`svc ${version}`, "-V, --version")
  .showHelpAfterError()
  .enablePositionalOptions()
  // 125 like every failure of svc's own: 1 may be the program's.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_EXIT_CODE));

program
  .command("dev")
  .description("run a program under the wrapper with an in-memory store: for development only")
  .usage("[options] -- program [args…]")
  .argument("<program...>", "the program and its arguments, after --")
  .option(
    "--secrets <file>",
    ".env, JSON or YAML file with the secrets, - for stdin (default: .env)",
  )
  .option("--port <number>", "port of the store on 127.0.0.1; 0 takes any free one", parsePort, 0)
  .option("--wrapper <path>", "the wrapper", join(dirname(process.execPath), "svc-wrapper"))
  .addHelpText(
    "after",
    `
Every field of the secrets becomes a variable of the same name, unless SVC_ENV_MAP says otherwise.
A flat file is one secret at secret/data/app; a file with paths as keys is several.

Example:
  svc dev --secrets .env -- node server.js`,
  )
  .action(async (words: string[], options: { secrets?: string; port: number; wrapper: string }) => {
    process.exitCode = await dev(words, {
      ...options,
      environment: environment(),
      say,
      signals: process,
    });
  });

const secretstore = program
  .command("secretstore")
  .description("initialise, unseal and look at a Vault or OpenBao in Kubernetes");

const secretstoreCommands = {
  init: "initialise the store, keep its keys, unseal it and set it up",
  unseal: "unseal the store's pods",
  status: "show the state of the store's pods and of the Secret with its keys",
  reset: "delete a store that was initialised and whose keys were lost before it was unsealed",
} as const;

type SecretstoreCommand = keyof typeof secretstoreCommands;

function isSecretstoreCommand(name: string): name is SecretstoreCommand {
  return name in secretstoreCommands;
}

for (const [name, description] of Object.entries(secretstoreCommands)) {
  if (!isSecretstoreCommand(name)) continue;
  withOwnFlags(secretstore.command(name), "[FLAGS], see --help")
    .description(description)
    .action(async (words: readonly string[]) => {
      if (name === "init" && isCaller()) {
        process.exitCode = await callHolder(environment());
        return;
      }
      // Loaded here: the client of the API server takes some 20 ms.
      const { ownProcess } = await import("./secretstore/surroundings.ts");
      const { runSecretstore } = await import("./secretstore/run-secretstore.ts");
      const variables = new Map(Object.entries(environment()));
      process.exitCode = await runSecretstore(name, words, ownProcess(variables));
    });
}

withOwnFlags(program.command("inject"), "-f FILE [FLAGS], see --help")
  .description("inject pods of a file as the operator injects pods of a cluster")
  .action(async (words: readonly string[]) => {
    const { runInject } = await import("./inject/run-inject.ts");
    process.exitCode = await runInject(words, neededOutput);
  });

withOwnFlags(program.command("explain"), "KIND NAME [FLAGS], see --help")
  .description("say why a pod was or was not injected into")
  .action(async (words: readonly string[]) => {
    const { runExplain } = await import("./explain/run-explain.ts");
    const variables = new Map(Object.entries(environment()));
    process.exitCode = await runExplain(words, variables, neededOutput);
  });

withOwnFlags(program.command("refresh"), "KIND NAME [FLAGS], see --help")
  .description("have the wrappers of a workload check their secrets at once")
  .action(async (words: readonly string[]) => {
    const { runRefresh } = await import("./refresh/run-refresh.ts");
    const variables = new Map(Object.entries(environment()));
    process.exitCode = await runRefresh(words, variables, neededOutput);
  });

withOwnFlags(program.command("status"), "[KIND NAME] [FLAGS], see --help")
  .description("show which programs have which versions of their secrets, and how protected")
  .action(async (words: readonly string[]) => {
    const { runStatus } = await import("./status/run-status.ts");
    const variables = new Map(Object.entries(environment()));
    process.exitCode = await runStatus(words, variables, neededOutput);
  });

withOwnFlags(program.command("doctor"), "node|cluster [FLAGS], see --help")
  .description("find faults of a cluster or a machine, and how to mend them")
  .action(async (words: readonly string[]) => {
    const { runDoctor } = await import("./doctor/run-doctor.ts");
    const variables = new Map(Object.entries(environment()));
    process.exitCode = await runDoctor(words, variables, neededOutput);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  const { hint, exitCode } = cliErrorCatalogue[error.code];
  for (const problem of error.problems) say(`error: ${problem}`);
  say(`hint: ${hint}`);
  process.exitCode = exitCode;
}
process.exit();

/** A command whose flags and help come from a table of settings. */
function withOwnFlags(command: Command, usage: string): Command {
  return command
    .usage(usage)
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument("[words...]");
}

/** Bun sees an empty environment in the compiled program (docs/decisions/0003). */
function environment(): Record<string, string> {
  const decoder = new TextDecoder();
  return Object.fromEntries(
    environmentEntries().map((entry) => [entry.name, decoder.decode(valueBytes(entry))]),
  );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("must be a port from 0 to 65535");
}
