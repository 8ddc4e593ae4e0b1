import {
  BootstrapError,
  type BootstrapSettings,
  hintOf,
  type OutputFormat,
  parseBootstrapSettings,
  parseResetSettings,
  parseStatusSettings,
  parseUnsealSettings,
  type SettingsResult,
  type StatusSettings,
} from "@svc/bootstrap";
import { isTerminal } from "@svc/kernel";
import { version } from "@svc/protocol";
import type { Problem } from "@svc/settings";
import { VaultError } from "@svc/vault";
import { CliError, type CliErrorCode, cliErrorCatalogue } from "../errors.ts";
import { refuseProblems } from "../refuse-problems.ts";
import { standardOutput } from "../write-output.ts";
import type { CommandContext } from "./command-context.ts";
import { helpText, type SecretstoreCommand } from "./help-text.ts";
import { followCaller } from "./holder.ts";
import { initCommand } from "./init-command.ts";
import { InputLines } from "./input-lines.ts";
import { JsonReporter } from "./json-reporter.ts";
import { protectProcess } from "./protect-process.ts";
import type { Reporter, ToldError, ToldResult } from "./reporter.ts";
import { resetCommand } from "./reset-command.ts";
import { statusCommand } from "./status-command.ts";
import { stepLabels } from "./step-labels.ts";
import { StopError, StopSignals } from "./stop-signals.ts";
import { TerminalReporter } from "./terminal-reporter.ts";
import { TextReporter } from "./text-reporter.ts";
import { unsealCommand } from "./unseal-command.ts";

const STDOUT = 1;
const FAILED = 125;
/** As `bao status` and `vault status` have it. */
const SEALED = 2;
const BAD_KEYS = 3;

/**
 * Runs `svc secretstore COMMAND`.
 *
 * @param words those behind the command's name
 * @returns the exit status: 0, 125 if it failed, 128 + n if signal n ended it. `status` gives 3
 * if the keys of the output Secret cannot be used, else 2 if a pod is not unsealed
 */
export function runSecretstore(
  command: SecretstoreCommand,
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): Promise<number> {
  const input = { environment, flags: words };
  const start = { command, environment };
  switch (command) {
    case "init":
      return run(start, parseBootstrapSettings(input), async (settings, context) =>
        tell(context.reporter, await initCommand(settings, context)),
      );
    case "unseal":
      return run(start, parseUnsealSettings(input), async (settings, context) =>
        tell(context.reporter, await unsealCommand(settings, context)),
      );
    case "reset":
      return run(start, parseResetSettings(input), async (settings, context) =>
        tell(context.reporter, await resetCommand(settings, context)),
      );
    case "status":
      return run(start, parseStatusSettings(input), async (settings, context) => {
        const { isOpen, keysProblem, ...result } = await statusCommand(settings, context);
        tell(context.reporter, result);
        if (keysProblem !== undefined) return BAD_KEYS;
        return isOpen ? 0 : SEALED;
      });
  }
}

interface Start {
  readonly command: SecretstoreCommand;
  readonly environment: ReadonlyMap<string, string>;
}

async function run<Settings extends StatusSettings>(
  { command, environment }: Start,
  parsed: SettingsResult<Settings>,
  act: (settings: Settings, context: CommandContext) => Promise<number>,
): Promise<number> {
  switch (parsed.kind) {
    case "help":
      return say(helpText(command));
    case "version":
      return say(`svc ${version}\n`);
    case "problems":
      return refuse(parsed.problems, parsed.output);
    case "settings":
      break;
  }
  const { settings, warnings } = parsed;
  const reporter = reporterFor(settings, environment);
  const signals = new StopSignals(() =>
    reporter.warning("it ends once the keys that it holds are stored"),
  );
  followCaller();
  const input = new InputLines(Bun.stdin.stream());
  const ask = (text: string) => standardOutput.err(text);
  try {
    for (const warning of [...warnings, protectProcess()]) {
      if (warning !== undefined) reporter.warning(warning);
    }
    return await act(settings, { environment, reporter, signals, input, ask });
  } catch (error) {
    if (error instanceof StopError) {
      const { hint } = cliErrorCatalogue.STOPPED;
      reporter.error({ code: "STOPPED", message: error.message, hint });
      return error.exitCode;
    }
    reporter.error(toldOf(error));
    return FAILED;
  }
}

function tell(reporter: Reporter, result: ToldResult): number {
  reporter.result(result);
  return 0;
}

function reporterFor(
  settings: StatusSettings & Partial<BootstrapSettings>,
  environment: ReadonlyMap<string, string>,
): Reporter {
  const out = (text: string) => standardOutput.out(text);
  if (settings.output === "json") return new JsonReporter(out);
  const style = { labels: stepLabels(settings), dryRun: settings.dryRun ?? false };
  const text = new TextReporter({ out, err: (line) => standardOutput.err(line) }, style);
  if (!isTerminal(STDOUT) || isDumb(environment.get("TERM"))) return text;
  return new TerminalReporter(text, { write: out, columns: () => process.stdout.columns || 80 });
}

/** A terminal of unknown type cannot overwrite a line either. */
function isDumb(kind: string | undefined): boolean {
  return kind === undefined || kind === "" || kind === "dumb";
}

function refuse(problems: readonly Problem[], output: OutputFormat): number {
  if (output !== "json") return refuseProblems(problems, standardOutput.err);
  for (const { variable, message, hint } of problems) {
    const code: CliErrorCode = "SETTING_INVALID";
    const error = { type: "error", code, variable, message, hint };
    standardOutput.out(`${JSON.stringify(error)}\n`);
  }
  return FAILED;
}

/** Our own errors contain no secret. Other errors are unexpected, and may contain one. */
function toldOf(error: unknown): ToldError {
  if (error instanceof BootstrapError || error instanceof VaultError) {
    return { code: error.code, message: error.message, hint: hintOf(error) };
  }
  if (error instanceof CliError) {
    const { hint } = cliErrorCatalogue[error.code];
    return { code: error.code, message: error.problems.join("; "), hint };
  }
  throw error;
}

function say(text: string): number {
  standardOutput.out(text);
  return 0;
}
