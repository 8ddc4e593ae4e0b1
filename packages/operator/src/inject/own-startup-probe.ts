import type { Problem } from "@svc/settings";
import type { Container, PortAction, Probe } from "../pod/pod.ts";
import { problemOf } from "./container-problems.ts";
import { onceReady, runsCommand } from "./exec-probes.ts";
import { isAskedFromInside, isLoopback } from "./health-endpoints.ts";
import { failuresWithin, LONGEST_SECONDS } from "./longest-wait.ts";
import {
  needsNoAnswer,
  none,
  type StartProbes,
  type StartRequest,
  TIMEOUT_SECONDS,
  unheard,
} from "./start-request.ts";

/** The kubelet's defaults for a probe. */
const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_TIMEOUT_SECONDS = 1;
const DEFAULT_THRESHOLD = 3;

/**
 * The application's own startup probe. It must not succeed before the program runs:
 *
 * 1. One that asks the program cannot, for the program does not answer yet.
 * 2. One that runs a command could. The command waits for the wrapper's answer first.
 * 3. One that asks the wrapper could, anywhere but at /readyz, and is refused.
 */
export function ownStartupProbe(
  container: Container,
  wanted: StartRequest,
  own: Probe,
): StartProbes {
  if (asksTooEarly(container, wanted, own)) return refusedFor(asksWrapper(container));
  if (!runsCommand(own)) return waiting(container, wanted, own);
  if (isAskedFromInside(container, wanted.endpoint)) {
    const timeout = (own.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) + TIMEOUT_SECONDS;
    const timeoutSeconds = Math.min(timeout, LONGEST_SECONDS);
    return waiting(container, wanted, { ...onceReady(own), timeoutSeconds });
  }
  if (needsNoAnswer(container, wanted)) return waiting(container, wanted, own);
  const problem = unheard(container, wanted, {
    wanted: "given a health port that the command of its startupProbe can ask first",
    otherwise: "the command could succeed before its program runs",
  });
  return refusedFor(problem);
}

function refusedFor(problem: Problem): StartProbes {
  return { ...none, problems: [problem] };
}

/** The probe with the wrapper's time on top. */
function waiting(
  { name }: Container,
  { isSealed, waitSeconds }: StartRequest,
  own: Probe,
): StartProbes {
  const period = own.periodSeconds ?? DEFAULT_PERIOD_SECONDS;
  const wait = failuresWithin(waitSeconds, period);
  const failureThreshold = Math.min(
    (own.failureThreshold ?? DEFAULT_THRESHOLD) + wait,
    LONGEST_SECONDS,
  );
  const forever = `container ${name}: its startupProbe waits for ever, because a sealed wrapper may: it ends no program that hangs`;
  return {
    ...none,
    probes: { startupProbe: { ...own, failureThreshold } },
    warnings: isSealed ? [forever] : [],
  };
}

/** The wrapper listens, and answers /healthz, before its program runs. */
function asksTooEarly(container: Container, { endpoint }: StartRequest, own: Probe): boolean {
  const action = own.httpGet ?? own.tcpSocket ?? own.grpc ?? undefined;
  const port = endpoint.kind === "loopback" ? undefined : endpoint.port;
  if (action === undefined || port === undefined) return false;
  return port === portOf(container, action) && isHere(action) && pathOf(own) !== "/readyz";
}

/** The kubelet looks a name up among the ports of the container itself. */
function portOf({ ports }: Container, { port }: PortAction): number | undefined {
  if (typeof port === "number") return port;
  return (ports ?? []).find(({ name }) => name === port)?.containerPort;
}

function isHere({ host }: PortAction): boolean {
  return (host ?? "") === "" || isLoopback(host ?? "");
}

/** As the wrapper reads it: without the query. */
function pathOf({ httpGet }: Probe): string | undefined {
  const path = (httpGet ?? undefined) && (httpGet?.path ?? "");
  return path?.replace(/[?#].*$/s, "").replace(/^(?!\/)/, "/");
}

function asksWrapper(container: Container): Problem {
  return problemOf(container, {
    wanted: "without a startupProbe that succeeds before its program runs",
    found: "it asks the port of the wrapper's own health server",
    hint: "ask GET /readyz there, or ask the program, or leave the startupProbe out",
  });
}
