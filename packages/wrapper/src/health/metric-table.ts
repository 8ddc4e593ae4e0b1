import { deliveryMethods, rotationWays } from "@svc/settings";
import { type MeasuredProtection, protections, type WrapperFacts } from "./wrapper-facts.ts";

/** A metric, and how it is read from the facts. */
export interface Metric {
  /** Without the prefix. */
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly meaning: string;
  /** The labels that its samples carry, with their values. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly samples: (facts: WrapperFacts) => readonly Sample[];
}

/** One line of a metric. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The prefix of every name. */
export const METRIC_PREFIX = "svc_wrapper_";

/**
 * Leases that have their own line, those that end first. A vault decides how many there are.
 */
export const MAX_LEASE_SAMPLES = 32;

const SECRET_PATH =
  "path of the secret, as in SVC_SECRET_PATHS; its place in that list with SVC_SHOW_PATHS=false";

/** Every metric of the wrapper. docs/reference/metrics.md is made from it. */
export const wrapperMetrics: readonly Metric[] = [
  {
    name: "build_info",
    type: "gauge",
    meaning: "Always 1; the version is a label.",
    labels: { version: "version of svc" },
    samples: ({ version }) => [{ labels: { version }, value: 1 }],
  },
  {
    name: "start_time_seconds",
    type: "gauge",
    meaning: "When the wrapper started, in seconds since the epoch.",
    samples: ({ startedAtMs }) => one(startedAtMs / 1000),
  },
  {
    name: "ready",
    type: "gauge",
    meaning: "1 while GET /readyz answers 200.",
    samples: ({ status }) => one(Number(status === "ready")),
  },
  {
    name: "sealed",
    type: "gauge",
    meaning: "1 while the wrapper has no token that works and waits for POST /v1/unseal.",
    samples: ({ sealed }) => one(Number(sealed)),
  },
  {
    name: "rotation_waiting",
    type: "gauge",
    meaning: "1 while a rotation waits for a permit of the operator, or for its answer.",
    samples: ({ rotationWaits }) => one(Number(rotationWaits)),
  },
  {
    name: "application_running",
    type: "gauge",
    meaning: "1 while the application runs.",
    samples: ({ applicationRunning }) => one(Number(applicationRunning)),
  },
  {
    name: "application_restarts_total",
    type: "counter",
    meaning: "How often the application was started again.",
    labels: { reason: "`rotation`, `crash`" },
    samples: ({ applicationRestarts }) => tally("reason", applicationRestarts),
  },
  {
    name: "unprotected_programs_total",
    type: "counter",
    meaning:
      "Programs that the application has started, and that have plain values in `/proc/PID/environ`, as far as the wrapper hears of them. The log names each file once.",
    samples: ({ unprotectedPrograms }) => one(unprotectedPrograms),
  },
  {
    name: "renewals_total",
    type: "counter",
    meaning: "Renewals of the token and of leases.",
    labels: { result: "`renewed`, `refused` (the vault said no), `failed` (it was not reached)" },
    samples: ({ renewals }) => tally("result", renewals),
  },
  {
    name: "logins_total",
    type: "counter",
    meaning: "Logins at the vault that brought a token.",
    samples: ({ logins }) => [{ value: logins }],
  },
  {
    name: "checks_total",
    type: "counter",
    meaning: "Checks whether the secrets have changed.",
    labels: { result: "`unchanged`, `changed`, `failed`" },
    samples: ({ checks }) => tally("result", checks),
  },
  {
    name: "trouble_info",
    type: "gauge",
    meaning:
      "Always 1; the code of the failure that keeps the secrets from being fetched or checked now. Absent while nothing fails.",
    labels: { code: "as in docs/reference/errors.md" },
    samples: ({ trouble }) =>
      trouble === undefined ? [] : [{ labels: { code: trouble }, value: 1 }],
  },
  {
    name: "hints_total",
    type: "counter",
    meaning:
      "Hints of the operator that came to POST /v1/hints; without SVC_HINTS each one is refused.",
    labels: {
      hint: "`fresh` (the secrets are the newest), `changed`, `refused` (the MAC or the sequence is wrong)",
    },
    samples: ({ hints }) => tally("hint", hints),
  },
  {
    name: "hints_fresh",
    type: "gauge",
    meaning:
      "1 while hints of the operator say that the secrets are the newest, so that they are checked each SVC_HINTED_INTERVAL only. Absent without SVC_HINTS.",
    samples: ({ isFresh }) => (isFresh === undefined ? [] : one(Number(isFresh))),
  },
  {
    name: "secrets_checked_seconds",
    type: "gauge",
    meaning:
      "Seconds since the application's values were last known to be the current ones. Absent before the first fetch.",
    samples: ({ secretsCheckedAtMs, nowMs }) => secondsBetween(secretsCheckedAtMs, nowMs),
  },
  {
    name: "secret_version",
    type: "gauge",
    meaning:
      "The version of a KV v2 secret that the running application has, which may be older than the newest. Absent while no application runs.",
    labels: { path: SECRET_PATH },
    samples: ({ secrets }) =>
      secrets.map(({ path, version }) => ({ labels: { path }, value: version })),
  },
  {
    name: "secret_version_since_timestamp_seconds",
    type: "gauge",
    meaning: "Since when the application has that version, in seconds since the epoch.",
    labels: { path: SECRET_PATH },
    samples: ({ secrets }) =>
      secrets.map(({ path, sinceMs }) => ({ labels: { path }, value: sinceMs / 1000 })),
  },
  {
    name: "rotations_total",
    type: "counter",
    meaning: "Changed secrets brought to the application, by SVC_ROTATION.",
    labels: {
      mode: rotationWays.map((way) => `\`${way}\``).join(", "),
      result: "`completed`, `failed`",
    },
    samples: ({ rotations }) =>
      Object.entries(rotations).flatMap(([mode, results]) =>
        tally("result", results).map(({ labels, value }) => ({
          labels: { mode, ...labels },
          value,
        })),
      ),
  },
  {
    name: "unseal_attempts_total",
    type: "counter",
    meaning: "Requests of POST /v1/unseal while sealed.",
    labels: {
      result:
        "`accepted`, `refused` (wrong token), `unavailable` (the vault could not be asked), `malformed`, `unverified` (no client certificate), `throttled`",
    },
    samples: ({ unsealAttempts }) => tally("result", unsealAttempts),
  },
  {
    name: "token_expires_seconds",
    type: "gauge",
    meaning:
      "Seconds until the token expires, negative when it has. Absent if it does not expire or there is none.",
    samples: ({ tokenExpiresAtMs, nowMs }) => secondsBetween(nowMs, tokenExpiresAtMs),
  },
  {
    name: "leases",
    type: "gauge",
    meaning: "Leases that are held.",
    samples: ({ leases }) => one(leases.length),
  },
  {
    name: "lease_expires_seconds",
    type: "gauge",
    meaning: `Seconds until a lease expires; the ${MAX_LEASE_SAMPLES} that expire first.`,
    labels: { path: "as of `svc_wrapper_secret_version`" },
    samples: ({ leases, nowMs }) =>
      [...new Map([...leases].sort(lastFirst).map((lease) => [lease.path, lease])).values()]
        .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
        .slice(0, MAX_LEASE_SAMPLES)
        .map(({ path, expiresAtMs }) => ({
          labels: { path },
          value: (expiresAtMs - nowMs) / 1000,
        })),
  },
  {
    name: "delivery_info",
    type: "gauge",
    meaning: "Always 1; how the application got its values. Absent before it has them.",
    labels: {
      delivery: deliveryMethods.map((method) => `\`${method}\``).join(", "),
      memory: "`memfd_secret`, `memfd` (locked ordinary memory)",
    },
    samples: ({ delivery }) =>
      delivery === undefined
        ? []
        : [{ labels: { delivery: delivery.method, memory: delivery.memory }, value: 1 }],
  },
  {
    name: "agent_connected",
    type: "gauge",
    meaning: "1 while the kernel agent is connected. Absent if no agent is configured.",
    samples: ({ agent }) => (agent === undefined ? [] : one(Number(agent.connected))),
  },
  {
    name: "agent_tier_info",
    type: "gauge",
    meaning:
      "Always 1. The kernel agent's reaction to an attempt on the application. Absent while the agent is not connected.",
    labels: {
      tier: "`none`, `tracing`, `detect`, `kill`, `enforce`, `unknown` (a later release's)",
    },
    samples: ({ agent }) =>
      agent?.tier === undefined ? [] : [{ labels: { tier: agent.tier }, value: 1 }],
  },
  {
    name: "degraded",
    type: "gauge",
    meaning:
      "1 for a protection that is weaker than it could be, 0 for one that holds. Absent before they were measured.",
    labels: { protection: `${protections.map((name) => `\`${name}\``).join(", ")}` },
    samples: ({ protection }) => pointsOf(protection, ({ points, most }) => Number(points < most)),
  },
  {
    name: "protection_points",
    type: "gauge",
    meaning:
      "Points of a protection in the score. docs/reference/protection.md has the maximum of each. Absent before the first measurement.",
    labels: { protection: "as of `svc_wrapper_degraded`" },
    samples: ({ protection }) => pointsOf(protection, ({ points }) => points),
  },
  {
    name: "protection_score",
    type: "gauge",
    meaning:
      "The measured protection from 0 to 100, half a second after the application's start. Absent before the measurement.",
    samples: ({ protection }) => (protection === undefined ? [] : one(protection.score)),
  },
];

interface Lease {
  readonly expiresAtMs: number;
}

/** So that of several leases of one path the one that ends first stays. */
function lastFirst(a: Lease, b: Lease): number {
  return b.expiresAtMs - a.expiresAtMs;
}

function one(value: number): readonly Sample[] {
  return [{ value }];
}

function pointsOf(
  { items }: MeasuredProtection = { score: 0, items: [] },
  value: (item: MeasuredProtection["items"][number]) => number,
): readonly Sample[] {
  return items.map((item) => ({
    labels: { protection: item.protection },
    value: value(item),
  }));
}

function tally(label: string, counts: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(counts).map(([outcome, value]) => ({
    labels: { [label]: outcome },
    value,
  }));
}

function secondsBetween(from: number | undefined, to: number | undefined): readonly Sample[] {
  return from === undefined || to === undefined ? [] : one((to - from) / 1000);
}
