import {
  argumentVector,
  environmentEntries,
  forbidDumps,
  setIgnored,
  valueText,
} from "@svc/kernel";
import { runService, unexpected, writeLinesTo } from "@svc/logging";
import { version } from "@svc/protocol";
import { type Problem, problem } from "@svc/settings";
import { AgentError } from "./agent-error.ts";
import type { BreakGlassAnswer } from "./break-glass/break-glass-request.ts";
import { breakGlassHelp, parseBreakGlassCommand } from "./break-glass/break-glass-settings.ts";
import { breakGlass } from "./break-glass/run-break-glass.ts";
import { openMonitor } from "./run/open-monitor.ts";
import { runAgent } from "./run/run-agent.ts";
import { agentHelp } from "./settings/agent-help.ts";
import { type AgentSettings, parseAgentSettings } from "./settings/agent-settings.ts";
import { agentVariables } from "./settings/agent-variables.ts";

/** As every program of svc. */
const FAILED = 125;
// The reader of events may go away, and the spool's disk may have a limit: both are errors of a
// write, and do not end the agent.
const OF_WRITES = { SIGPIPE: 13, SIGXFSZ: 25 } as const;

process.exit(await main());

async function main(): Promise<number> {
  const words = argumentVector()
    .slice(1)
    .map((word) => new TextDecoder().decode(word));
  const { texts, problems } = readEnvironment();
  if (words[0] === "break-glass") return runBreakGlass(words.slice(1), texts);
  const parsed = parseAgentSettings(words, texts);
  switch (parsed.kind) {
    case "help":
      process.stdout.write(agentHelp());
      return 0;
    case "version":
      process.stdout.write(`svc-agent ${version}\n`);
      return 0;
    case "problems":
      return refuse([...problems, ...parsed.problems]);
    case "settings":
      return problems.length > 0 ? refuse(problems) : run(parsed.settings, parsed.warnings);
  }
}

async function run(settings: AgentSettings, warnings: readonly string[]): Promise<number> {
  // Headers for the platform are in this memory.
  forbidDumps();
  for (const signal of Object.values(OF_WRITES)) setIgnored(signal, true);
  return runService({
    component: "agent",
    least: settings.logLevel,
    describe: describeError,
    survives: lacksDescriptors,
    run: async ({ log, signal }) => {
      log("info", "svc-agent starts", { version });
      for (const warning of warnings) log("warn", warning);
      await runAgent(settings, { log, events: writeLinesTo(Bun.stdout), signal, openMonitor });
    },
  });
}

async function runBreakGlass(
  words: readonly string[],
  texts: ReadonlyMap<string, string>,
): Promise<number> {
  const command = parseBreakGlassCommand(words, texts);
  switch (command.kind) {
    case "help":
      process.stdout.write(breakGlassHelp());
      return 0;
    case "problems":
      return refuse(command.problems);
    case "request": {
      const answer = await breakGlass(command.request, command.socketPath).catch(failure);
      if (answer.ok) process.stdout.write(`${answer.done}\n`);
      else process.stderr.write(`svc-agent: error: break-glass: ${answer.message}\n`);
      return answer.ok ? 0 : FAILED;
    }
  }
}

function failure(error: unknown): BreakGlassAnswer {
  const [message] = describeError(error);
  return { ok: false, message };
}

/** The runtime itself sees no environment. */
function readEnvironment() {
  const texts = new Map<string, string>();
  const problems: Problem[] = [];
  for (const entry of environmentEntries()) {
    const { name } = entry;
    // getenv(3) takes the first of several.
    if (texts.has(name)) continue;
    try {
      texts.set(name, valueText(entry));
    } catch {
      if (isOurs(name)) problems.push(notText(name));
    }
  }
  return { texts, problems };
}

function isOurs(name: string): boolean {
  return Object.values(agentVariables).some((row) => row.name === name);
}

function notText(variable: string): Problem {
  return problem({ variable, wanted: "UTF-8 text", found: "other bytes" });
}

function refuse(problems: readonly Problem[]): number {
  for (const { message, hint } of problems) {
    const more = hint === undefined ? "" : `svc-agent: hint: ${hint}\n`;
    process.stderr.write(`svc-agent: error: ${message}\n${more}`);
  }
  return FAILED;
}

function describeError(
  error: unknown,
): readonly [message: string, fields?: Readonly<Record<string, unknown>>] {
  if (lacksDescriptors(error)) {
    const hint = "raise LimitNOFILE of its unit, or the container's limit of descriptors";
    return [`no descriptor is left: ${error.message}`, { hint }];
  }
  if (!(error instanceof AgentError)) return [unexpected(error)];
  return [error.message, { code: error.code, hint: error.hint }];
}

/** The kernel goes on to protect and to stop, and the agent reads later. */
function lacksDescriptors(error: unknown): error is Error {
  return (
    error instanceof Error && "code" in error && ["EMFILE", "ENFILE"].includes(String(error.code))
  );
}
