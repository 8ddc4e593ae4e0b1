import type { AgentFacts } from "./agent-facts.ts";

/** A number with its labels. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A metric, and the function that reads it. */
export interface AgentMetric {
  /** Without the prefix. */
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly meaning: string;
  /** The labels that its samples carry, with their values. */
  readonly labels?: Readonly<Record<string, string>>;
  /** An unknown value has no sample. */
  readonly samples: (facts: AgentFacts) => readonly Sample[];
}

/** The prefix of every name. */
export const METRIC_PREFIX = "svc_agent_";

const one = (value: number | bigint | boolean): readonly Sample[] => [{ value: Number(value) }];

/** Every metric of the agent, in their order. docs/reference/metrics.md is made from it. */
export const agentMetrics: readonly AgentMetric[] = [
  {
    name: "build_info",
    type: "gauge",
    meaning: "Always 1; the version is a label.",
    labels: { version: "version of svc" },
    samples: ({ version }) => [{ value: 1, labels: { version } }],
  },
  {
    name: "tier",
    type: "gauge",
    meaning: "1 for the mechanism that sees attempts on this kernel, 0 for the others.",
    labels: { tier: "`lsm`, `fmod_ret`, `override`, `tracing`, `none`" },
    samples: ({ capabilities }) =>
      ["lsm", "fmod_ret", "override", "tracing", "none"].map((tier) => ({
        value: Number(capabilities.tier === tier),
        labels: { tier },
      })),
  },
  {
    name: "row_outcome",
    type: "gauge",
    meaning: "Always 1; a label has the reaction to a row of the catalogue on this kernel.",
    labels: {
      row: "kind of attempt, or a part of one, as in /status",
      outcome: "`blocked`, `killed`, `detected`, `seen`, `not covered`",
    },
    samples: ({ capabilities }) =>
      Object.entries(capabilities.rows).map(([row, outcome]) => ({
        value: 1,
        labels: { row, outcome },
      })),
  },
  {
    name: "guards_open_seconds",
    type: "gauge",
    meaning: "Seconds until the guards close again after a break-glass; 0 if they are closed.",
    samples: ({ guardsOpenMs }) => one(guardsOpenMs / 1000),
  },
  {
    name: "policies",
    type: "gauge",
    meaning:
      "Policies that the agent follows, by their state. None without POLICY_FILE and POLICY_RESOURCES.",
    labels: { state: "`in force`, `expired`, `nowhere`" },
    samples: ({ policies }) =>
      policies === undefined
        ? []
        : (["in force", "expired", "nowhere"] as const).map((state) => ({
            value: policies.policies.filter((policy) => policy.state === state).length,
            labels: { state },
          })),
  },
  {
    name: "policy_problems",
    type: "gauge",
    meaning:
      "Mistakes in the latest policies. While there are mistakes, the earlier policies stay in force. /status lists the mistakes.",
    samples: ({ policies }) => (policies === undefined ? [] : one(policies.problems.length)),
  },
  {
    name: "programs_refused",
    type: "gauge",
    meaning: "BPF programs that the agent would use and this kernel refuses.",
    samples: ({ capabilities }) => one(capabilities.refused.length),
  },
  {
    name: "events_total",
    type: "counter",
    meaning: "Attempts that the agent saw, including summed-up ones.",
    labels: {
      kind: "kind of the event: see events.md",
      decision: "`observed`, `blocked`, `killed`, `failed`",
    },
    samples: ({ events }) =>
      [...events].map(([key, value]) => {
        const [kind = "", decision = ""] = key.split(" ");
        return { value, labels: { kind, decision } };
      }),
  },
  {
    name: "ring_read_total",
    type: "counter",
    meaning: "Events that were read from the kernel.",
    labels: { ring: "`violations`, `everything`" },
    samples: ({ pump }) => [
      { value: pump.read.violations, labels: { ring: "violations" } },
      { value: pump.read.everything, labels: { ring: "everything" } },
    ],
  },
  {
    name: "ring_lost_total",
    type: "counter",
    meaning: "Events for which their ring had no room.",
    labels: { ring: "`violations`, `everything`" },
    samples: ({ drops }) => [
      { value: Number(drops.violations), labels: { ring: "violations" } },
      { value: Number(drops.everything), labels: { ring: "everything" } },
    ],
  },
  {
    name: "inheritance_lost_total",
    type: "counter",
    meaning: "Processes that should have inherited protection at their start and could not.",
    samples: ({ drops }) => one(drops.inheritances),
  },
  {
    name: "events_unreadable_total",
    type: "counter",
    meaning: "Records of the kernel side that this agent does not understand.",
    samples: ({ pump }) => one(pump.unreadable),
  },
  {
    name: "log_lines_dropped_total",
    type: "counter",
    meaning:
      "Lines of standard output that no reader took in time; the platform gets them all the same.",
    samples: ({ linesDropped }) => one(linesDropped),
  },
  {
    name: "spool_bytes",
    type: "gauge",
    meaning: "Bytes of events on the disk.",
    samples: ({ platform }) => (platform ? one(platform.spool.bytes) : []),
  },
  {
    name: "spool_waiting",
    type: "gauge",
    meaning: "Events that the platform does not have yet.",
    samples: ({ platform }) => (platform ? one(platform.spool.waiting) : []),
  },
  {
    name: "spool_oldest_seconds",
    type: "gauge",
    meaning: "Age of the oldest of them.",
    samples: ({ platform }) => (platform ? one(platform.oldestWaitingSeconds) : []),
  },
  {
    name: "spool_lost_total",
    type: "counter",
    meaning: "Events that were given up.",
    labels: {
      reason: "`evicted` for newer ones, `refused` by the disk",
    },
    samples: ({ platform }) =>
      platform
        ? [
            { value: platform.spool.evicted, labels: { reason: "evicted" } },
            { value: platform.spool.refused, labels: { reason: "refused" } },
          ]
        : [],
  },
  {
    name: "platform_up",
    type: "gauge",
    meaning: "1 from an answer of the platform on until a request fails.",
    samples: ({ platform }) => (platform ? one(platform.delivery.isReachable) : []),
  },
  {
    name: "platform_delivered_total",
    type: "counter",
    meaning: "Events that the platform has taken.",
    samples: ({ platform }) => (platform ? one(platform.delivery.delivered) : []),
  },
  {
    name: "platform_rejected_total",
    type: "counter",
    meaning: "Events that the platform refused for good.",
    samples: ({ platform }) => (platform ? one(platform.delivery.rejected) : []),
  },
  {
    name: "platform_failed_requests_total",
    type: "counter",
    meaning: "Requests that failed; their events are sent again.",
    samples: ({ platform }) => (platform ? one(platform.delivery.failedRequests) : []),
  },
  {
    name: "registrations",
    type: "gauge",
    meaning: "Registrations of wrappers, by whether their wrapper is connected.",
    labels: { connected: "`true`, `false`" },
    samples: ({ registrations: { registrations, connected } }) => [
      { value: connected, labels: { connected: "true" } },
      { value: registrations - connected, labels: { connected: "false" } },
    ],
  },
  {
    name: "registered_processes",
    type: "gauge",
    meaning:
      "Processes that wrappers have registered; those that these have started are not counted.",
    samples: ({ registrations }) => one(registrations.processes),
  },
  {
    name: "connections_refused_total",
    type: "counter",
    meaning: "Connections of wrappers for which there was no room.",
    samples: ({ registrations }) => one(registrations.turnedAway),
  },
  {
    name: "token_volumes",
    type: "gauge",
    meaning:
      "Volumes of pods with the file of a service account token whose openings are reported.",
    samples: ({ tokenFiles }) => one(tokenFiles.volumes),
  },
  {
    name: "swappable_programs",
    type: "gauge",
    meaning:
      "Registered programs that the kernel may swap, if the machine has swap space or is given some. `/status` says why.",
    samples: ({ swap }) => one(swap.swappable.length),
  },
  {
    name: "program_runs_total",
    type: "counter",
    meaning: "Runs of a BPF program. 0 without BPF_PROGRAM_STATS.",
    labels: { program: "name of the program" },
    samples: ({ programs }) =>
      [...programs].map(([program, { runs }]) => ({ value: Number(runs), labels: { program } })),
  },
  {
    name: "program_run_seconds_total",
    type: "counter",
    meaning: "Time that a BPF program ran. 0 without BPF_PROGRAM_STATS.",
    labels: { program: "name of the program" },
    samples: ({ programs }) =>
      [...programs].map(([program, { nanoseconds }]) => ({
        value: Number(nanoseconds) / 1e9,
        labels: { program },
      })),
  },
  {
    name: "program_missed_total",
    type: "counter",
    meaning: "Times that a BPF program was not run because it already ran on that processor.",
    labels: { program: "name of the program" },
    samples: ({ programs }) =>
      [...programs].map(([program, { misses }]) => ({
        value: Number(misses),
        labels: { program },
      })),
  },
];

/** Prometheus text, format 0.0.4. */
export function renderMetrics(facts: AgentFacts): string {
  return agentMetrics.map((metric) => renderMetric(metric, facts)).join("");
}

function renderMetric({ name, type, meaning, samples }: AgentMetric, facts: AgentFacts): string {
  const full = METRIC_PREFIX + name;
  const lines = samples(facts).map(({ value, labels = {} }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${full}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  if (lines.length === 0) return "";
  return `# HELP ${full} ${meaning.replaceAll("`", "")}\n# TYPE ${full} ${type}\n${lines.join("")}`;
}
