import {
  accepted,
  flagOnly,
  flagSections,
  type ParsedVariables,
  type Problem,
  parseDurationBetween,
  parseFlags,
  parseGoBoolean,
  parseVariables,
  problem,
  refused,
  type Values,
} from "@svc/settings";
import { registrationVariables } from "../settings/registration-variables.ts";
import { type BreakGlassRequest, MOST_REASON } from "./break-glass-request.ts";

const group = "Break-glass";

/** The flags of `svc-agent break-glass`. */
const breakGlassVariables = {
  reason: flagOnly({
    name: "--reason",
    group,
    type: "text",
    requiredness: "yes",
    parse: (text) =>
      text.trim() !== "" && text.length <= MOST_REASON && !/\p{Cc}/u.test(text)
        ? accepted(text.trim())
        : refused(`a line of 1 to ${MOST_REASON} characters`),
    meaning: "Why; it is in the audit event.",
  }),
  duration: flagOnly({
    name: "--for",
    group,
    type: "duration",
    default: "15m",
    parse: parseDurationBetween({ least: "1s", most: "24h" }),
    meaning: "How long the guards are open; they close by themselves.",
  }),
  close: flagOnly({
    name: "--close",
    group,
    type: "boolean",
    parse: parseGoBoolean,
    meaning: "Closes them now.",
  }),
  remove: flagOnly({
    name: "--remove",
    group,
    type: "boolean",
    parse: parseGoBoolean,
    meaning:
      "Removes the enforcing programs from the kernel: at once if no agent runs, else when the agent ends. Use it to uninstall.",
  }),
  adminSocketPath: registrationVariables.adminSocketPath,
};

/** The command line of `svc-agent break-glass`. */
export type BreakGlassCommand =
  | { readonly kind: "request"; readonly request: BreakGlassRequest; readonly socketPath: string }
  | { readonly kind: "help" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Parses the words behind `break-glass`; it never throws. */
export function parseBreakGlassCommand(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): BreakGlassCommand {
  const flags = parseFlags(words, { table: breakGlassVariables, refused: new Map(), strayHint });
  if (flags.asked !== undefined) return { kind: "help" };
  const parsed = parseVariables(breakGlassVariables, { environment, flags: flags.values });
  const problems = [...flags.problems, ...parsed.problems, ...problemsBetween(parsed)];
  const request = requestOf(parsed.values);
  if (problems.length > 0 || request === undefined) return { kind: "problems", problems };
  return { kind: "request", request, socketPath: parsed.values.adminSocketPath };
}

/** The text of `svc-agent break-glass --help`. */
export function breakGlassHelp(): string {
  return `${introduction}\n\n${flagSections(breakGlassVariables)}\n`;
}

const introduction = `usage: svc-agent break-glass --reason TEXT [--for 15m | --close | --remove]

Opens the kernel and the agent for a while. With ENFORCE_MODE the agent refuses modules, BPF
programs, kexec, /dev/mem … to every process, and protects itself and the programs that it has
put into the kernel. Registered programs stay protected. For root; it leaves an audit
event (agent_break_glass) and a line in the kernel's log.

  svc-agent break-glass --reason "load the new network driver" --for 5m`;

const strayHint = "every option begins with --";

type BreakGlassTable = typeof breakGlassVariables;

function requestOf(values: Values<BreakGlassTable>): BreakGlassRequest | undefined {
  const { reason, duration, close, remove } = values;
  if (reason === undefined) return undefined;
  if (close === true) return { ask: "close", reason };
  if (remove === true) return { ask: "remove", reason };
  return { ask: "open", seconds: Math.ceil(duration / 1000), reason };
}

function problemsBetween({ given }: ParsedVariables<BreakGlassTable>): readonly Problem[] {
  const ways = (["duration", "close", "remove"] as const).filter((row) => given.has(row));
  if (ways.length < 2) return [];
  const variable = "--for, --close, --remove";
  return [problem({ variable, wanted: "one of them", found: "several" })];
}
