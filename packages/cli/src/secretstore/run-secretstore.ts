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
import { version } from "@svc/protocol";
import type { Problem } from "@svc/settings";
import { VaultError } from "@svc/vault";
import { CliError, type CliErrorCode, cliErrorCatalogue } from "../errors.ts";
import { refuseProblems } from "../refuse-problems.ts";
import type { CommandOutput } from "../write-output.ts";
import type { CommandContext } from "./command-context.ts";
import { helpText, type SecretstoreCommand } from "./help-text.ts";
import { initCommand } from "./init-command.ts";
import { InputLines } from "./input-lines.ts";
import { JsonReporter } from "./json-reporter.ts";
import type { Reporter, ToldError, ToldResult } from "./reporter.ts";
import { resetCommand } from "./reset-command.ts";
import { statusCommand } from "./status-command.ts";
import { stepLabels } from "./step-labels.ts";
import { StopError, StopSignals } from "./stop-signals.ts";
import type { Surroundings } from "./surroundings.ts";
import { TerminalReporter } from "./terminal-reporter.ts";
import { TextReporter } from "./text-reporter.ts";
import { unsealCommand } from "./unseal-command.ts";

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
  surroundings: Surroundings,
): Promise<number> {
  const input = { environment: surroundings.environment, flags: words };
  const start = { ...surroundings, command };
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

interface Start extends Surroundings {
  readonly command: SecretstoreCommand;
}

async function run<Settings extends StatusSettings>(
  start: Start,
  parsed: SettingsResult<Settings>,
  act: (settings: Settings, context: CommandContext) => Promise<number>,
): Promise<number> {
  const { command, environment, output } = start;
  switch (parsed.kind) {
    case "help":
      output.out(helpText(command));
      return 0;
    case "version":
      output.out(`svc ${version}\n`);
      return 0;
    case "problems":
      return refuse(parsed.problems, parsed.output, output);
    case "settings":
      break;
  }
  const { settings, warnings } = parsed;
  const reporter = reporterFor(settings, start);
  const deferred = () => reporter.warning("it ends once the keys that it holds are stored");
  const signals = new StopSignals(deferred, start.signals);
  try {
    for (const warning of [...warnings, start.protect()]) {
      if (warning !== undefined) reporter.warning(warning);
    }
    const input = new InputLines(start.stdin());
    return await act(settings, { environment, reporter, signals, input, ask: output.err });
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
  { environment, output, terminal }: Surroundings,
): Reporter {
  if (settings.output === "json") return new JsonReporter(output.out);
  const style = { labels: stepLabels(settings), dryRun: settings.dryRun ?? false };
  const text = new TextReporter(output, style);
  if (terminal === undefined || isDumb(environment.get("TERM"))) return text;
  return new TerminalReporter(text, { write: output.out, columns: terminal.columns });
}

/** A terminal of unknown type cannot overwrite a line either. */
function isDumb(kind: string | undefined): boolean {
  return kind === undefined || kind === "" || kind === "dumb";
}

function refuse(
  problems: readonly Problem[],
  format: OutputFormat,
  { out, err }: CommandOutput,
): number {
  if (format !== "json") return refuseProblems(problems, err);
  for (const { variable, message, hint } of problems) {
    const code: CliErrorCode = "SETTING_INVALID";
    out(`${JSON.stringify({ type: "error", code, variable, message, hint })}\n`);
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
