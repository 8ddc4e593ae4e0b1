import { rotationBys } from "@svc/protocol";
import {
  accepted,
  flagOnly,
  type Parsed,
  parseDelivery,
  parseDurationBetween,
  parseFilePath,
  parseFollow,
  parseGoBoolean,
  parseIdentifier,
  parseList,
  parseOneOf,
  parseRotation,
  parseStopSignal,
  parseWords,
  refused,
  supervisions,
  variable,
} from "@svc/settings";

/**
 * Parses the number of a process; the kernel gives none beyond 2^22 (proc_sys_kernel(5), pid_max).
 */
export function parseProcessNumber(text: string): Parsed<number> {
  const isNumber = /^[1-9]\d{0,6}$/.test(text) && Number(text) <= 2 ** 22;
  return isNumber ? accepted(Number(text)) : refused("the number of a process");
}

const wrapping = "Process wrapping";
const rotation = "Rotation";
const delivery = "Delivery";
const lifecycle = "Lifecycle";

/** The program, its delivery, its rotation and its end. */
export const processVariables = {
  originalCommand: variable({
    name: "SVC_ORIGINAL_CMD",
    group: wrapping,
    type: "words",
    requiredness: { conditional: "Yes, unless a program follows `--`" },
    // Arguments of programs often hold passwords.
    secret: true,
    parse: parseWords,
    meaning:
      "Program to start: a JSON array of strings, or words between white space. The operator sets it from the image. A program after `--` takes precedence.",
  }),
  originalArguments: variable({
    name: "SVC_ORIGINAL_ARGS",
    group: wrapping,
    type: "words",
    secret: true,
    parse: parseWords,
    meaning:
      "Arguments of SVC_ORIGINAL_CMD: a JSON array of strings, or words between white space, in which quotes mean nothing. Not looked at when a program follows `--`.",
  }),
  passEnvironment: variable({
    name: "SVC_PASS_ENV",
    group: wrapping,
    type: "name list",
    parse: parseList(parseIdentifier),
    meaning:
      "Comma-separated names of the wrapper's own variables that the program gets all the same, for example VAULT_ADDR for the transit engine. The program always gets variables that are in no table of the wrapper. VAULT_TOKEN cannot be passed on.",
  }),
  rotationMode: variable({
    name: "SVC_ROTATION",
    group: rotation,
    type: "word",
    default: "restart",
    parse: parseRotation,
    meaning:
      "Action after a secret changed. `restart` ends the program and starts it with the new values. `sighup` makes them readable in the running program and sends it SIGHUP. `none` fetches once, never again, and revokes the token of its login. With SVC_FILE_MAP alone the default is `sighup`.",
  }),
  renewalIntervalMs: variable({
    name: "RENEWAL_INTERVAL",
    group: rotation,
    type: "duration",
    default: "30s",
    parse: parseDurationBetween({ least: "100ms" }),
    meaning:
      "How often the wrapper checks and renews leases and checks secrets, give or take a tenth; at least 100ms. If a lease would expire before that, it is renewed earlier.",
  }),
  rotationSplayMs: variable({
    name: "SVC_ROTATION_SPLAY",
    group: rotation,
    type: "duration",
    default: "10s",
    parse: parseDurationBetween({ least: "0" }),
    meaning:
      "A rotation starts at random within this time after the change was seen, so that a fleet does not restart at once. Without permits it is at least ten times as long as the program's last start, at most 1h; see SVC_READINESS_PROBE. 0s: at once. The program's first start never waits.",
  }),
  rotationDebounceMs: variable({
    name: "SVC_ROTATION_DEBOUNCE",
    group: rotation,
    type: "duration",
    default: "1s",
    parse: parseDurationBetween({ least: "0" }),
    meaning:
      "A rotation waits at least this long after a change was seen, so that several secrets, written one after the other, make one rotation.",
  }),
  rotationMinIntervalMs: variable({
    name: "SVC_ROTATION_MIN_INTERVAL",
    group: rotation,
    type: "duration",
    default: "1m",
    parse: parseDurationBetween({ least: "0" }),
    meaning:
      "The least time from one start or rotation to the next. It holds for leases that end sooner, too: the log warns, and the program has an expired secret until then.",
  }),
  rotationBy: variable({
    name: "SVC_ROTATION_BY",
    group: rotation,
    type: "word",
    default: "program",
    parse: parseOneOf(rotationBys),
    meaning:
      "The thing that a rotation by `restart` replaces once the operator has given a permit. `program`: the program, in its container. `pod`: the operator evicts the pod, and its controller makes another one. Without SVC_PERMITS_ADDR, or while the operator is away, it is always the program.",
  }),
  rotationDrainMs: variable({
    name: "SVC_ROTATION_DRAIN",
    group: rotation,
    type: "duration",
    default: "0s",
    parse: parseDurationBetween({ least: "0", most: "10m" }),
    meaning:
      "How long /readyz and /readyz/program say `draining` before a rotation by `restart` ends the program, so that no request reaches it any more. The operator sets it to the time in which the kubelet's readiness probe fails.",
  }),
  refreshPath: variable({
    name: "SVC_REFRESH_FILE",
    group: rotation,
    type: "file",
    parse: parseFilePath,
    meaning:
      "File by which a check is asked for: the wrapper checks its secrets within seconds after the file was written, touched or replaced, as for POST /v1/check. The operator projects the pod's annotation `refresh` into it. The file may be absent.",
  }),
  staleAfterMs: variable({
    name: "SVC_STALE_AFTER",
    group: rotation,
    type: "duration",
    default: "1h",
    parse: parseDurationBetween({ least: "1s" }),
    meaning:
      "How long the secrets may go unchecked, because the vault does not answer, before /readyz says `stale`. The program goes on all the same. At least 1s; the default is long: an outage of the vault must not take every pod out of its service.",
  }),
  delivery: variable({
    name: "SVC_DELIVERY",
    group: delivery,
    type: "word",
    default: "auto",
    parse: parseDelivery,
    meaning:
      "How the program gets the values. `library`: protected memory, read by the Go library. `inject`: variables that point into protected memory, for any program. `preload`: the same by LD_PRELOAD, for dynamically linked programs and their children. `env`: environment variables. `auto`: the first of these that works, with the reason in the log. A method other than `auto` is used or refused, never replaced.",
  }),
  follow: variable({
    name: "SVC_FOLLOW",
    group: delivery,
    type: "word",
    default: "auto",
    parse: parseFollow,
    meaning:
      "How the programs that the program starts get the values under `inject`. `notify`: the kernel announces each execve; without CAP_SYS_ADMIN the wrapper sets no_new_privs, so that set-user-ID files and file capabilities raise nothing below the program. `trace`: the wrapper traces every program by ptrace, and a debugger cannot attach. `off`: they get plain values. `auto`: `notify` if the program loses nothing by it; else `preload` instead of `inject`, or `trace`.",
  }),
  explain: flagOnly({
    name: "--explain",
    group: delivery,
    type: "boolean",
    parse: parseGoBoolean,
    meaning: "Say how the program would get its values, and why; start nothing, ask no vault.",
  }),
  stopGraceMs: variable({
    name: "SVC_STOP_GRACE",
    group: lifecycle,
    type: "duration",
    default: "25s",
    parse: parseDurationBetween({ least: "0" }),
    meaning:
      "How long the program may take to end after SVC_STOP_SIGNAL before it gets SIGKILL. The default is below the 30 s that Kubernetes gives a pod, so that the wrapper can still report how the program ended.",
  }),
  stopSignal: variable({
    name: "SVC_STOP_SIGNAL",
    group: lifecycle,
    type: "signal",
    default: "SIGTERM",
    parse: parseStopSignal,
    meaning:
      "Signal that asks the program to end: at a rotation by restart, and when SIGTERM or this signal asks the wrapper to end. After it the wrapper starts nothing again. A name or number, like SIGINT for PostgreSQL or SIGQUIT for nginx. The operator takes it from the container's lifecycle.stopSignal or the image's StopSignal.",
  }),
  supervise: variable({
    name: "SVC_SUPERVISE",
    group: lifecycle,
    type: "word",
    default: "always",
    parse: parseOneOf(supervisions),
    meaning:
      "Whether the wrapper stays beside the program. `never`: it fetches the secrets, becomes the program by execve, and keeps its process number, for programs that must be process 1, such as systemd, runit and the /init of s6-overlay. SVC_ROTATION is then `none`. SVC_RESTART, `inject` and the kernel agent need a wrapper that stays.",
  }),
  parentPid: flagOnly({
    name: "--end-with-parent",
    group: lifecycle,
    type: "pid",
    parse: parseProcessNumber,
    meaning:
      "End as by SIGTERM when the process of this number has ended, which has started the wrapper, even if it was killed. `svc dev` gives its own number.",
  }),
  startDeadlineMs: variable({
    name: "SVC_START_DEADLINE",
    group: lifecycle,
    type: "duration",
    default: "2m",
    parse: parseDurationBetween({ least: "0" }),
    meaning: "How long an outage of the vault is retried before the program's start; 0 is one try.",
  }),
  restartPolicy: variable({
    name: "SVC_RESTART",
    group: lifecycle,
    type: "word",
    default: "never",
    parse: parseOneOf(["never", "on-failure", "always"]),
    meaning:
      "Action after the program ends by itself. `never` ends the wrapper with its exit code, and the platform decides. `on-failure` and `always` start it again with freshly fetched secrets, after a pause that doubles from 1 s on. An end by SIGHUP, SIGINT, SIGTERM or SIGPIPE does not count as a failure.",
  }),
  restartMaxDelayMs: variable({
    name: "SVC_RESTART_MAX_DELAY",
    group: lifecycle,
    type: "duration",
    default: "5m",
    parse: parseDurationBetween({ least: "1s" }),
    meaning:
      "The longest pause before a restart by SVC_RESTART; at least 1s. A program that ran longer than this starts again after 1 s.",
  }),
  terminationLogPath: variable({
    name: "SVC_TERMINATION_LOG",
    group: lifecycle,
    type: "file",
    default: "/dev/termination-log",
    parse: parseFilePath,
    meaning:
      "File for the last error, from which Kubernetes takes the message of a terminated container. Used only if it exists.",
  }),
};
