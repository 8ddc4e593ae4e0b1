import { closeDescriptor, signalName } from "@svc/kernel";
import { version } from "@svc/protocol";
import { failure } from "./errors.ts";
import { type HealthServer, startHealthServer } from "./health/health-server.ts";
import { renderMetrics } from "./health/metrics.ts";
import type { Readiness } from "./health/readiness.ts";
import { freshFacts } from "./health/wrapper-facts.ts";
import type { Logger } from "./log.ts";
import type { WrapperSettings } from "./settings.ts";
import { exitWith } from "./supervisor/exit-with.ts";
import type { Notifier } from "./supervisor/notify-systemd.ts";
import type { Regions } from "./supervisor/regions.ts";
import type { Courier } from "./supervisor/start-courier.ts";
import { supervise } from "./supervisor/supervise.ts";
import { Tracer } from "./tracer/tracer.ts";

/** What a run needs. */
export interface ProgramRun {
  readonly settings: WrapperSettings;
  readonly courier: Courier;
  readonly regions: Regions;
  readonly notifier: Notifier;
  readonly log: Logger;
}

// The program does not wait for the health server: the server waits a moment for the program.
const HEALTH_DELAY_MS = 25;
// Past the moment in which the program starts and wants the processor.
const MEMORY_DELAY_MS = 500;

/** Follows the courier until it is the program, and the program until it ends; then exits. */
export async function runProgram(run: ProgramRun): Promise<void> {
  const { settings, courier, regions, notifier, log } = run;
  let readiness: Readiness = { status: "starting", reason: "the secrets are being fetched" };
  const { pid, readPlan } = courier;
  const tracer = new Tracer({ pid, tracing: courier.tracing.kind === "tracing", readPlan, log });
  const ending = supervise({ pid, stopGraceMs: settings.stopGraceMs, log, tracer });
  // What follows the program's life counts here; nothing does in this version.
  const facts = freshFacts(version, Date.now());
  const view = {
    readiness: () => readiness,
    metrics: () => renderMetrics({ ...facts, nowMs: Date.now(), status: readiness.status }),
  };
  const health = startLater(() => startHealthServer(settings.health, view, log));

  const report = await courier.report;
  if (report.kind === "became the program") {
    // What it waits for comes before what nobody waits for.
    await Promise.race([tracer.prepared, ending]);
    readiness = { status: "ready", rotations: 0, applicationRestarts: 0 };
    health.start();
    notifier.ready("the program runs");
    // Nothing fetches again in this version: nobody needs the regions any more.
    closeDescriptor(regions.secrets.fd);
    closeDescriptor(regions.token.fd);
    setTimeout(giveMemoryBack, MEMORY_DELAY_MS);
  }

  const { exitCode, signal } = await ending;
  tracer.releaseAll();
  readiness = { status: "stopped", reason: "the program has ended" };
  health.stop();
  notifier.stopping("the program has ended");
  notifier.stop();
  if (tracer.failure !== undefined) {
    return exitWith([tracer.failure], log, settings.terminationLogPath);
  }
  switch (report.kind) {
    case "became the program":
      log.debug("the program has ended", { exitCode, signal });
      return process.exit(exitCode);
    case "failed":
      return exitWith(report.failures, log, settings.terminationLogPath);
    case "died":
      return endWithoutProgram(signal, settings, log);
  }
}

/** What the start needed and the waiting does not: from here on the supervisor is idle. */
function giveMemoryBack(): void {
  Bun.gc(true);
  Bun.shrink();
}

/** 128 + n for a courier that a signal ended (a forwarded SIGTERM, the kernel's OOM killer). */
function endWithoutProgram(
  signal: number | undefined,
  settings: WrapperSettings,
  log: Logger,
): never {
  if (signal === undefined) {
    const silent = failure(
      "INTERNAL",
      "the courier ended without a word",
      "the lines before this one may say why; limits of processes or memory are the usual reason",
    );
    return exitWith([silent], log, settings.terminationLogPath);
  }
  log.warn("ended before the program was started", { signal: signalName(signal) });
  return process.exit(128 + signal);
}

/** Starts the server after a delay, or at once when asked to. */
function startLater(start: () => HealthServer) {
  let server: HealthServer | undefined;
  const startOnce = () => {
    clearTimeout(timer);
    server ??= start();
  };
  const timer = setTimeout(startOnce, HEALTH_DELAY_MS);
  return {
    start: startOnce,
    stop: () => {
      clearTimeout(timer);
      server?.stop();
    },
  };
}
