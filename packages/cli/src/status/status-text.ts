import type { WrapperStatus } from "./ask-status.ts";
import type { ToldStatus } from "./told-status.ts";

type Told = Extract<ToldStatus, { readonly kind: "told" }>;
type Row = readonly string[];

/** One row for each workload and secret, and a line for each program in trouble. Pure. */
export function workloadsText(wrappers: readonly WrapperStatus[], nowMs: number): string {
  const groups = Map.groupBy(wrappers, ({ namespace, workload }) => `${namespace}/${workload}`);
  const rows = [...groups].flatMap(([name, group]) => workloadRows(name, group, nowMs));
  const head = ["WORKLOAD", "PODS", "READY", "DELIVERY", "SCORE", "SECRET", "VERSIONS", "SINCE"];
  return [...columns([head, ...rows]), ...troubles(wrappers)].join("\n");
}

/** One row for each program that has the secret, the oldest version first. Pure. */
export function pathText(path: string, wrappers: readonly WrapperStatus[], nowMs: number): string {
  const holders = holdersOf(path, wrappers);
  const newest = Math.max(...holders.map(({ version }) => version));
  const rows = holders.map(({ wrapper, version, since }) => [
    ...[`${wrapper.namespace}/${wrapper.workload}`, wrapper.pod, wrapper.container],
    ...[String(version), age(since, nowMs), statusWord(wrapper.told)],
  ]);
  const head = ["WORKLOAD", "POD", "CONTAINER", "VERSION", "SINCE", "STATUS"];
  const current = holders.filter(({ version }) => version === newest).length;
  const sum =
    holders.length === 0
      ? `no program says that it has ${path}`
      : `${current} of ${holders.length} programs have version ${newest} of ${path}, the newest that one has`;
  return [...(rows.length > 0 ? columns([head, ...rows]) : []), sum, ...unknown(wrappers)].join(
    "\n",
  );
}

/** A program that has a secret. */
export interface Holder {
  readonly wrapper: WrapperStatus;
  readonly version: number;
  readonly since: string;
}

/** The programs that have a secret, the oldest version first; a pinned version is one as well. */
export function holdersOf(path: string, wrappers: readonly WrapperStatus[]): readonly Holder[] {
  return wrappers
    .flatMap((wrapper) =>
      secretsOf(wrapper)
        .filter((secret) => secret.path === path || secret.path.startsWith(`${path}#`))
        .map(({ version, since }) => ({ wrapper, version, since })),
    )
    .toSorted((one, other) => one.version - other.version);
}

function secretsOf({ told }: WrapperStatus): Told["secrets"] {
  return told.kind === "told" ? told.secrets : [];
}

function workloadRows(
  name: string,
  group: readonly WrapperStatus[],
  nowMs: number,
): readonly Row[] {
  const told = group.flatMap((one) => (one.told.kind === "told" ? [one.told] : []));
  const pods = new Set(group.map(({ pod }) => pod)).size;
  const ready = told.filter(({ status }) => status === "ready").length;
  const scores = told.flatMap(({ protectionScore: score }) => score ?? []);
  const first = [
    ...[name, String(pods), `${ready}/${group.length}`],
    distinct(told.flatMap(({ delivery }) => delivery ?? [])),
    scores.length === 0 ? "-" : String(Math.min(...scores)),
  ];
  const paths = [...new Set(told.flatMap(({ secrets }) => secrets.map(({ path }) => path)))];
  const secrets = paths.map((path) => secretCells(path, told, nowMs));
  const [head = ["-", "-", "-"], ...more] = secrets;
  return [[...first, ...head], ...more.map((cells) => ["", "", "", "", "", ...cells])];
}

/** The path, how many have which version, and since when the newest is there. */
function secretCells(path: string, told: readonly Told[], nowMs: number): Row {
  const own = told.flatMap(({ secrets }) => secrets.filter((secret) => secret.path === path));
  const byVersion = Map.groupBy(own, ({ version }) => version);
  const versions = [...byVersion].toSorted(([one], [other]) => other - one);
  const words = versions.map(([version, all]) =>
    versions.length === 1 ? String(version) : `${version} (${all.length})`,
  );
  const [, newest = []] = versions[0] ?? [];
  const since = newest.map((secret) => secret.since).toSorted()[0] ?? "";
  return [path, words.join(", "), age(since, nowMs)];
}

function distinct(words: readonly string[]): string {
  const all = [...new Set(words)];
  return all.length === 0 ? "-" : all.toSorted().join(",");
}

function statusWord(told: ToldStatus): string {
  return told.kind === "told" ? told.status : "unknown";
}

/** Programs that are not ready, or whose agent is away, with the wrapper's words. */
function troubles(wrappers: readonly WrapperStatus[]): readonly string[] {
  const lines = wrappers.flatMap((wrapper) => {
    const { told } = wrapper;
    if (told.kind === "unreached") return [`${nameOf(wrapper)} cannot be asked: ${told.reason}`];
    const { status, reason, agentConnected } = told;
    const why = reason === "" ? "" : `: ${reason}`;
    return [
      ...(status === "ready" && reason === "" ? [] : [`${nameOf(wrapper)} is ${status}${why}`]),
      ...(agentConnected === false
        ? [`${nameOf(wrapper)}: no kernel agent of ${nodeOf(wrapper)} watches the program`]
        : []),
    ];
  });
  return lines.length === 0 ? [] : ["", ...lines];
}

function unknown(wrappers: readonly WrapperStatus[]): readonly string[] {
  return wrappers.flatMap((wrapper) =>
    wrapper.told.kind === "unreached"
      ? [`${nameOf(wrapper)} cannot be asked: ${wrapper.told.reason}`]
      : [],
  );
}

function nameOf({ namespace, pod, container }: WrapperStatus): string {
  return `pod ${namespace}/${pod}, container ${container}`;
}

function nodeOf({ node }: WrapperStatus): string {
  return node === "" ? "its node" : `node ${node}`;
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
] as const;

/** As kubectl shows ages, in the largest unit; `-` for no time. */
function age(since: string, nowMs: number): string {
  const ms = nowMs - Date.parse(since);
  if (Number.isNaN(ms)) return "-";
  const unit = UNITS.find(([length]) => ms >= length) ?? UNITS[3];
  return `${Math.max(0, Math.floor(ms / unit[0]))}${unit[1]}`;
}

/** Lines with columns of the same width; two spaces are between them. */
function columns(rows: readonly Row[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => (row[at] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
