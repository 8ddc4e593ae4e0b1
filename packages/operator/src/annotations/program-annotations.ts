import { rotationBys } from "@svc/protocol";
import {
  type DurationBounds,
  parseDelivery,
  parseDurationBetween,
  parseFollow,
  parseIdentifier,
  parseList,
  parseOneOf,
  parsePlainText,
  parseRotation,
  parseStopSignal,
  supervisions,
  variable,
} from "@svc/settings";
import { parseMaxUnavailable, parsePort, parseTrueOrFalse } from "./parse-values.ts";

const rotation = "Rotation and lifecycle";
const delivery = "Delivery and protection";
const health = "Health server and log";

/** How the program is kept, protected and watched. */
export const programAnnotations = {
  rotation: variable({
    name: "rotation",
    group: rotation,
    type: "word",
    default: "restart",
    parse: parseRotation,
    meaning:
      "What happens when a secret changed, as in SVC_ROTATION. For containers that run to completion (Jobs, workflows, pods with another restartPolicy than Always, init containers) the default is `none`.",
  }),
  renewalInterval: duration("renewal-interval", "RENEWAL_INTERVAL", { least: "100ms" }),
  rotationSplay: duration("rotation-splay", "SVC_ROTATION_SPLAY", { least: "0" }),
  rotationMinInterval: duration("rotation-min-interval", "SVC_ROTATION_MIN_INTERVAL", {
    least: "0",
  }),
  rotationBy: variable({
    name: "rotation-by",
    group: rotation,
    type: "word",
    parse: parseOneOf(rotationBys),
    meaning:
      "The thing that a rotation by `restart` replaces, as in SVC_ROTATION_BY. It needs an operator that gives permits.",
  }),
  rotationMaxUnavailable: variable({
    name: "rotation-max-unavailable",
    group: rotation,
    type: "number or percentage",
    parse: parseMaxUnavailable,
    meaning:
      "How many pods of the workload may be away at once while its secrets are rotated: a number, or a percentage of its replicas. Without it the maxUnavailable of the workload's own rolling update, and 1 if it has none. At least one pod may always be away.",
  }),
  refresh: variable({
    name: "refresh",
    group: rotation,
    type: "text",
    parse: parsePlainText,
    meaning:
      'Any text. When it changes, the wrappers of the pod check their secrets within seconds: `kubectl annotate pods -l app=web svc.internal/refresh="$(date)" --overwrite`.',
  }),
  staleAfter: duration("stale-after", "SVC_STALE_AFTER", { least: "1s" }),
  startDeadline: duration("start-deadline", "SVC_START_DEADLINE", { least: "0" }),
  stopGrace: variable({
    name: "stop-grace",
    group: rotation,
    type: "duration",
    parse: parseDurationBetween({ least: "0" }),
    meaning:
      "As SVC_STOP_GRACE. Without it five seconds less than the pod's terminationGracePeriodSeconds, or four fifths of it if that is below 25.",
  }),
  stopSignal: variable({
    name: "stop-signal",
    group: rotation,
    type: "signal",
    parse: parseStopSignal,
    meaning:
      "As SVC_STOP_SIGNAL. Without it the container's lifecycle.stopSignal, or the StopSignal of its image if the container has no command.",
  }),
  restart: variable({
    name: "restart",
    group: rotation,
    type: "word",
    parse: parseOneOf(["never", "on-failure", "always"]),
    meaning: "What happens when the program ends by itself, as in SVC_RESTART.",
  }),
  supervise: variable({
    name: "supervise",
    group: rotation,
    type: "word",
    parse: parseOneOf(supervisions),
    meaning:
      "Whether the wrapper stays beside the program, as in SVC_SUPERVISE. `never` is for programs that must be process 1. Rotation is then `none`.",
  }),
  unprotectedProbes: variable({
    name: "unprotected-probes",
    group: rotation,
    type: "boolean",
    default: "false",
    parse: parseTrueOrFalse,
    meaning:
      "Gives the secrets to the commands of exec probes and lifecycle hooks as well. Each run logs in again, and its output reaches the pod's events. Without it they run without secrets.",
  }),
  delivery: variable({
    name: "delivery",
    group: delivery,
    type: "word",
    parse: parseDelivery,
    meaning: "How the program gets the values, as in SVC_DELIVERY.",
  }),
  follow: variable({
    name: "follow",
    group: delivery,
    type: "word",
    parse: parseFollow,
    meaning: "How the programs that the program starts get the values, as in SVC_FOLLOW.",
  }),
  passEnv: variable({
    name: "pass-env",
    group: delivery,
    type: "name list",
    parse: parseList(parseIdentifier),
    meaning: "The wrapper's own variables that the program gets, as in SVC_PASS_ENV.",
  }),
  ebpf: variable({
    name: "ebpf",
    group: delivery,
    type: "boolean",
    default: "false",
    parse: parseTrueOrFalse,
    meaning:
      "Registers the program with the node's agent, whose socket is mounted from the host: the pod security standards baseline and restricted forbid that.",
  }),
  requireAgent: variable({
    name: "require-agent",
    group: delivery,
    type: "boolean",
    parse: parseTrueOrFalse,
    meaning:
      'The program starts only once the node\'s agent has registered it, as with SVC_REQUIRE_AGENT. "true" takes `ebpf` for "true" as well.',
  }),
  requireMlock: variable({
    name: "require-mlock",
    group: delivery,
    type: "boolean",
    parse: parseTrueOrFalse,
    meaning: "The wrapper exits if memory cannot be locked, as with SVC_REQUIRE_MLOCK.",
  }),
  addIpcLock: variable({
    name: "add-ipc-lock",
    group: delivery,
    type: "boolean",
    parse: parseTrueOrFalse,
    meaning:
      'Adds the capability IPC_LOCK, which the standard restricted forbids and which works only for root. Without it `require-mlock` applies: with "false" RLIMIT_MEMLOCK has to suffice.',
  }),
  requireMemfdSecret: variable({
    name: "require-memfd-secret",
    group: delivery,
    type: "boolean",
    parse: parseTrueOrFalse,
    meaning: "The wrapper exits if memfd_secret is not available.",
  }),
  healthPort: variable({
    name: "health-port",
    group: health,
    type: "port",
    default: "8199",
    parse: parsePort,
    meaning:
      "Port of the first container's health server; every further one takes the next that is free.",
  }),
  logLevel: variable({
    name: "log-level",
    group: health,
    type: "word",
    parse: parseOneOf(["debug", "info", "warn", "error"]),
    meaning: "As SVC_LOG_LEVEL.",
  }),
  logFormat: variable({
    name: "log-format",
    group: health,
    type: "word",
    parse: parseOneOf(["auto", "json", "text"]),
    meaning: "As SVC_LOG_FORMAT.",
  }),
};

function duration(name: string, like: string, bounds: DurationBounds) {
  return variable({
    name,
    group: rotation,
    type: "duration",
    parse: parseDurationBetween(bounds),
    meaning: `As ${like}.`,
  });
}
