import { JWT, ROOT_TOKEN } from "./secrets.ts";
import { TERMINATION_LOG } from "./start-wrapper.ts";
import type { World } from "./world.ts";

/** Samples that depend on the time of the look. */
const TIMED = /_(?:start_time|since_timestamp|secrets_checked|\w*expires)_seconds\b/;
/** Numbers of log fields that depend on the schedule, or on random pauses. */
const LOOSE_FIELDS = /^(?:pid|parent|attempt|\w+Ms)$/;
/** Numbers in texts that do so. */
const LOOSE_NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/\d+ tries in \d+ ms/g, "N tries in N ms"],
  [/((?:checks|renewals)_total\S+) [1-9]\d*/g, "$1 N"],
  [/checked for \d+ s/g, "checked for N s"],
  [/"since":"[^"]*"/g, '"since":"T"'],
  [/MONOTONIC_USEC=\d+/g, "MONOTONIC_USEC=N"],
];

/**
 * Everything that others see of a run, without times and without the number of repetitions: it is
 * the same for each schedule. @param loose lines that a schedule may leave out
 */
export function accountOf(world: World, loose?: RegExp): readonly string[] {
  const { wrapper, probes, told, health } = world;
  const ends = probes.flatMap(({ process, output }) => [
    ...output().split("\n").filter(Boolean),
    endOf(process),
  ]);
  const notices = told.map((text) => text.trim().replaceAll("\n", ", "));
  const parts: Readonly<Record<string, readonly string[]>> = {
    "the vault is asked before a program runs": distinct(requestsOf(world, "before")),
    "the vault is asked afterwards": distinct(requestsOf(world, "afterwards")),
    "the supervisor says": distinct(logOf(world, "supervisor")),
    "couriers say": distinct(logOf(world, "courier")),
    programs: world.starts.flatMap((_, index) => programOf(world, index)),
    "GET /readyz": readinessOf(world),
    "GET /v1/check": health.answers
      .filter(({ path }) => path === "/v1/check")
      .map(({ status, body }) => `${status} ${body.trim()}`),
    "POST /v1/check": health.checks.map(({ status }) => String(status ?? "no answer")),
    "POST /v1/unseal": health.unsealed,
    "--once-ready": ends,
    "the program is asked": distinct(world.asked),
    "systemd is told": notices,
    "the child from before": world.stranger === undefined ? [] : [endOf(world.stranger)],
    "the terminal": terminalOf(world),
    "the agent hears": distinct(world.agent.heard),
    "the operator is asked": distinct(world.operator.heard.map(withoutTime)),
    "POST /v1/hints": distinct(world.operator.hints.map(hintWords)),
    "the host is told": distinct(hostWords(world)),
    "beside a program the supervisor holds": descriptorsOf(world),
    "the last metrics": metricsOf(world),
    "the termination log": terminationLogOf(world),
    "the end": [endOf(wrapper)],
  };
  const lines = Object.entries(parts).flatMap(([title, own]) =>
    own.length === 0 ? [] : [`${title}:`, ...own.map((line) => `  ${line}`)],
  );
  return lines.map(withoutNumbers).filter((line) => loose?.test(line) !== true);
}

function distinct(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.map(withoutNumbers))].sort();
}

function withoutNumbers(line: string): string {
  return LOOSE_NUMBERS.reduce((text, [found, instead]) => text.replace(found, instead), line);
}

function hostWords({ trace }: World): readonly string[] {
  return trace.lines.flatMap((line) => line.match(/ host: (.*)$/)?.[1] ?? []);
}

function descriptorsOf({ calmDescriptors }: World): readonly string[] {
  return calmDescriptors === undefined ? [] : [`${calmDescriptors} descriptors`];
}

/** Each group that got it, in turn. */
function terminalOf({ machine: { terminal }, wrapper, trace }: World): readonly string[] {
  if (terminal === undefined) return [];
  const groups = trace.lines.flatMap((line) => line.match(/ terminal: (\d+)$/)?.[1] ?? []);
  return groups.map((group) =>
    Number(group) === wrapper.group ? "the wrapper's group gets it" : "the program's group gets it",
  );
}

/** Requests by the names of their tokens. */
function requestsOf({ requests, starts }: World, time: "before" | "afterwards"): readonly string[] {
  const logins: string[] = [];
  const nameOf = (token: string) => {
    if (token === "") return "no token";
    if (token === ROOT_TOKEN) return "the root token";
    if (token === JWT) return "the account's token";
    if (!logins.includes(token)) logins.push(token);
    return `token ${logins.indexOf(token) + 1}`;
  };
  const startedAtUs = starts[0]?.atUs ?? Number.POSITIVE_INFINITY;
  return requests.flatMap(({ atUs, method, path, token }) => {
    // A name is given at the first request of all.
    const text = `${method} ${path} with ${nameOf(token)}`;
    return atUs < startedAtUs === (time === "before") ? [text] : [];
  });
}

function logOf(world: World, component: string): readonly string[] {
  const lines = world.log.split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { time, level, component: from, message, ...fields } = JSON.parse(line);
    if (from !== component) return [];
    const rest = Object.entries(fields).map(([name, value]) => {
      const isLoose = LOOSE_FIELDS.test(name) && typeof value === "number";
      return ` ${name}=${isLoose ? "N" : JSON.stringify(value)}`;
    });
    return [`${level}: ${message}${rest.join("")}`];
  });
}

function programOf({ starts }: World, index: number): readonly string[] {
  const start = starts[index];
  if (start === undefined) return [];
  const { environment, signals, process, found } = start;
  const variables = [...environment].map(([name, value]) => `${name}=${value}`).sort();
  return [
    `${index + 1} starts as ${found.words.join(" ")} with ${variables.join(" ")}`,
    ...signals.map(({ number }) => `${index + 1} gets signal ${number}`),
    `${index + 1} ends: ${endOf(process)}`,
  ];
}

/** Each answer that came twice in a row: others depend on the time of the probe. */
function readinessOf({ health }: World): readonly string[] {
  const texts = health.answers
    .filter(({ path }) => path === "/readyz")
    .map(({ status, body }) => withoutNumbers(`${status} ${body.trim()}`))
    // The schedule decides which read has failed last, and whether one has before the first probes.
    .map((text) => text.replace(/(being fetched): .*"(?=,"code"),"code":"\w+"/, '$1"'));
  const lasting = texts.filter((text, index) => text === texts[index - 1]);
  return lasting.filter((text, index) => text !== lasting[index - 1]);
}

/** Before the stop, in whose midst few probes come. */
function metricsOf({ health, stoppedAtUs = Number.POSITIVE_INFINITY }: World): readonly string[] {
  const [last, ...others] = health.answers
    .filter(({ path, atUs }) => path === "/metrics" && atUs < stoppedAtUs)
    .toReversed();
  // A short life may be over before a probe.
  if (last === undefined || others.length < 2) return [];
  return last.body
    .split("\n")
    .filter((line) => /^[^#].* (?!0$)\S+$/.test(line) && !TIMED.test(line));
}

function terminationLogOf({ machine, wrapper }: World): readonly string[] {
  const { bytes } = machine.files.find(TERMINATION_LOG, wrapper);
  const text = new TextDecoder().decode(bytes);
  return text === "" ? [] : text.split("\n");
}

/** A time that depends on the moment of the question. */
function withoutTime(text: string): string {
  return text.replace(/"expiresInSeconds":\d+/, '"expiresInSeconds":N');
}

function hintWords({ news, isGenuine, status }: World["operator"]["hints"][number]): string {
  return `${isGenuine ? "" : "a forged "}${news}: ${status ?? "no answer"}`;
}

function endOf({ ending }: World["wrapper"]): string {
  if (ending === undefined) return "not at all";
  return ending.kind === "exited" ? `status ${ending.code}` : `signal ${ending.signal}`;
}
