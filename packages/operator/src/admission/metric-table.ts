/** A metric; `operatorMetrics` keeps its numbers. */
export interface OperatorMetric {
  /** Without the prefix. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly meaning: string;
  /** The labels that its samples carry, with their values. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The prefix of every name. */
export const METRIC_PREFIX = "svc_operator_";

/** Every metric of the operator, in their order. docs/reference/metrics.md is made from it. */
export const operatorMetricTable = {
  build: {
    name: "build_info",
    type: "gauge",
    meaning: "Always 1; the version is a label.",
    labels: { version: "version of svc" },
  },
  admissions: {
    name: "admissions_total",
    type: "counter",
    meaning: "Pods judged, by outcome.",
    labels: { outcome: "`injected`, `skipped`, `denied`, `failed`" },
  },
  admissionTime: {
    name: "admission_duration_seconds",
    type: "histogram",
    meaning: "Time from a question to its answer.",
  },
  refusals: {
    name: "admission_requests_refused_total",
    type: "counter",
    meaning: "Requests that were malformed, or came when there was no free place.",
    labels: { code: "code of the answer, as `BUSY`" },
  },
  inFlight: {
    name: "admissions_in_flight",
    type: "gauge",
    meaning: "Questions that are being answered.",
  },
  lookups: {
    name: "image_lookups_total",
    type: "counter",
    meaning: "Image lookups, by result.",
    labels: { result: "`found`, `unreadable`, `unanswered`, `broken`" },
  },
  lookupTime: {
    name: "image_lookup_duration_seconds",
    type: "histogram",
    meaning: "Time for all images of one pod, from the cache or from registries.",
  },
  lookupErrors: {
    name: "image_lookup_errors_total",
    type: "counter",
    meaning: "Images that stayed unknown, by error.",
    labels: { code: "code of the error: see errors.md" },
  },
  permits: {
    name: "rotation_permits_total",
    type: "counter",
    meaning: "Answers to wrappers that ask for a permit to rotate.",
    labels: { decision: "`go`, `wait`, `refused`" },
  },
  hintSubscriptions: {
    name: "hint_subscriptions_total",
    type: "counter",
    meaning: "Answers to wrappers that subscribe to version hints.",
    labels: { decision: "`subscribed`, `refused`" },
  },
  hints: {
    name: "hints_total",
    type: "counter",
    meaning:
      "Version hints that were sent, by their news and the wrapper's answer. `over`: the wrapper knows no such subscription, or is gone.",
    labels: { news: "`fresh`, `changed`", outcome: "`taken`, `over`, `later`, `failed`" },
  },
  looks: {
    name: "hint_looks_total",
    type: "counter",
    meaning:
      "Requests to the vault for the versions of secrets. `unknown`: the role may not, or there is no such secret.",
    labels: { way: "`scan`, `metadata`", outcome: "`found`, `unknown`, `failed`" },
  },
  hintSubscribers: {
    name: "hint_subscribers",
    type: "gauge",
    meaning: "Wrappers to which this replica sends version hints.",
  },
  hintPaths: {
    name: "hint_paths",
    type: "gauge",
    meaning: "Secrets whose versions this replica looks up for them.",
  },
  hintsLooked: {
    name: "hint_look_age_seconds",
    type: "gauge",
    meaning: "Seconds since the vault last said a version.",
  },
  leader: {
    name: "leader",
    type: "gauge",
    meaning: "1 on the replica that keeps the certificate and the status of SvcConfigs.",
  },
  configs: {
    name: "svcconfigs",
    type: "gauge",
    meaning: "SvcConfigs that this replica knows of.",
  },
  configsSynced: {
    name: "svcconfigs_synced",
    type: "gauge",
    meaning: "1 once they were listed; without, no pod is judged.",
  },
  configsHeard: {
    name: "svcconfigs_heard_seconds",
    type: "gauge",
    meaning:
      "Seconds since the API server's last message about SvcConfigs. It sends one at least every few minutes.",
  },
  certificateExpiry: {
    name: "certificate_expiry_seconds",
    type: "gauge",
    meaning: "End of the served certificate, in seconds since the epoch.",
  },
  certificateRotations: {
    name: "certificate_rotations_total",
    type: "counter",
    meaning: "Certificates that this replica, as the leader, has put into service for all.",
  },
  certificateFaults: {
    name: "certificate_faults_total",
    type: "counter",
    meaning: "Failed attempts to write the CA certificates into the webhook configuration.",
  },
  logDropped: {
    name: "log_lines_dropped_total",
    type: "counter",
    meaning: "Lines of the log that no reader took in time.",
  },
} as const satisfies Readonly<Record<string, OperatorMetric>>;
