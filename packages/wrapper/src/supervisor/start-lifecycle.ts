import { type EnvironmentEntry, onUncaught, processId } from "@svc/kernel";
import { version } from "@svc/protocol";
import { AgentLink } from "../agent/agent-link.ts";
import { agentTarget } from "../agent/agent-target.ts";
import { tokenPathOf } from "../agent/unwatched-token.ts";
import { runtime } from "../engine/runtime.ts";
import { failuresOf } from "../errors.ts";
import { askProgram } from "../health/ask-program.ts";
import { checkBudget } from "../health/check-budget.ts";
import type { StatusView } from "../health/health-answers.ts";
import { renderMetrics } from "../health/metrics.ts";
import { secretNames } from "../health/secret-names.ts";
import { checkStateOf } from "../life/check-state.ts";
import type { Life, LifeContext, Observation } from "../life/life.ts";
import { boundedStage } from "../life/longest-stage.ts";
import {
  factsOf,
  readinessLastsMs,
  readinessOf,
  shownBeside,
  unservingOf,
} from "../life/status.ts";
import { Effects } from "../lifecycle/effects.ts";
import { endWithParent } from "../lifecycle/end-with-parent.ts";
import { followHints } from "../lifecycle/follow-hints.ts";
import { followRefreshFile } from "../lifecycle/follow-refresh-file.ts";
import { followSources } from "../lifecycle/follow-sources.ts";
import { HealthPort } from "../lifecycle/health-port.ts";
import { Leftovers } from "../lifecycle/leftovers.ts";
import { LifeRunner } from "../lifecycle/life-runner.ts";
import { createNotifier, notifyEnvironment } from "../lifecycle/notify-systemd.ts";
import { ProtectionWatch } from "../lifecycle/protection-watch.ts";
import { tellSystemd } from "../lifecycle/tell-systemd.ts";
import { versionTeller } from "../lifecycle/tell-versions.ts";
import type { Logger } from "../log.ts";
import { Children } from "../processes/children.ts";
import type { Couriers, WorkingCourier } from "../processes/couriers.ts";
import { exitWith } from "../processes/exit-with.ts";
import type { SessionHolder } from "../processes/session-holder.ts";
import { SignalFront } from "../processes/signal-front.ts";
import type { SignalSource } from "../runtime.ts";
import type { SecretFiles } from "../secret-files/secret-files.ts";
import { engineOf } from "../settings/engine-traits.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";

/** The parts that exist before the life of the wrapper begins. */
export interface LifecycleStart {
  readonly settings: WrapperSettings;
  readonly log: Logger;
  readonly couriers: Couriers;
  readonly session: SessionHolder;
  readonly signals: SignalSource;
  readonly environment: readonly EnvironmentEntry[];
  /** The courier that is under way; undefined in sealed mode. */
  readonly first: WorkingCourier | undefined;
  /** Children that were there before the wrapper. */
  readonly strangers: readonly number[];
  /** Undefined if no secret becomes a file. */
  readonly files: SecretFiles | undefined;
}

/** Puts the parts together, begins, and lets signals through. */
export function startLifecycle(start: LifecycleStart): void {
  const { settings, log, couriers, session, signals, environment, first } = start;
  const children = new Children();
  const front = new SignalFront({
    ...{ signals, log, stopSignal: settings.stopSignal },
    onEnd: (signal) => runner.dispatch({ kind: "signal", signal }),
  });
  const runner = new LifeRunner(
    () => contextOf(start, front),
    (error) => giveUp(error),
  );
  const observe = (observation: Observation) => runner.dispatch({ kind: "observed", observation });
  const agent = linkAgent(settings, log, observe);
  const protection = new ProtectionWatch({ settings, log, agent, couriers, session, observe });
  const hints = followHints({
    ...{ settings, log, couriers, children, dispatch: runner.dispatch },
    port: () => health.listens,
  });
  const view = { ...viewOf(start, runner, protection), takeHint: hints?.take };
  const health = new HealthPort(settings.health, view, log);
  const notifier = createNotifier(notifyEnvironment(environment), { pid: processId(), log });
  const leftovers = new Leftovers(children, log, start.strangers);
  const parts = {
    ...{ settings, log, children, couriers, session, front, leftovers, health, view, agent },
    files: start.files,
    ...{ protection, observe, first, tellPhase: tellSystemd(notifier) },
  };
  const effects = new Effects(parts, runner.dispatch);
  const giveUp = (error: unknown): void => void effects.giveUp(failuresOf(error));
  const failure = health.openFirst();
  if (failure !== undefined) {
    first?.courier.abandon();
    exitWith([failure], log, settings.terminationLogPath);
  }
  surviveMistakes(log, runner, giveUp);
  if (settings.parentPid !== undefined) endWithParent(log, settings.parentPid);
  const guardStage = stageGuard(settings, agent !== undefined);
  const tellVersions = versionTeller(agent, secretNames(settings));
  runner.start(effects.perform, () => {
    health.forget();
    guardStage(runner.life);
    tellVersions(runner.life);
    hints?.follow(runner.life);
  });
  runner.dispatch({ kind: "begin", isUnderWay: first !== undefined });
  front.start(() => children.reap());
  followRefresh(settings, log, view);
  followFiles(settings, runner);
}

/** A file that has changed is looked at at once. It may change all the time, so that is bounded. */
function followFiles({ secrets, rotation }: WrapperSettings, runner: LifeRunner): void {
  const files = secrets.sources.filter((source) => !engineOf(source).isInVault);
  if (files.length === 0 || rotationOf({ rotation }).way === undefined) return;
  const refused = checkBudget(rotation.renewalIntervalMs, () => performance.now());
  followSources(
    files.map(({ path }) => path),
    () => {
      if (refused() === undefined) runner.dispatch({ kind: "check wanted" });
    },
  );
}

/** A change of SVC_REFRESH_FILE asks for a check, within the same bounds as a client. */
function followRefresh(settings: WrapperSettings, log: Logger, { check }: StatusView): void {
  const { refreshPath } = settings.rotation;
  if (refreshPath === undefined || rotationOf(settings).way === undefined) return;
  followRefreshFile(refreshPath, {
    log,
    onChange: () => {
      const refusal = check.askForCheck();
      if (refusal === undefined) return log.info("a check was asked for: SVC_REFRESH_FILE");
      const inMs = Math.round(refusal.retryAfterMs);
      log.warn("too many checks were asked for: SVC_REFRESH_FILE counts again later", { inMs });
    },
  });
}

/** Has the host keep the longest time of each stage that has one. */
function stageGuard(settings: WrapperSettings, hasAgent: boolean): (life: Life) => void {
  let guarded: string | undefined = "the supervisor's first steps";
  return (life) => {
    const stage = boundedStage(life, { ...settings, hasAgent });
    if (stage?.name === guarded) return;
    guarded = stage?.name;
    const { stage: now } = life;
    if (now.kind === "ending" && now.exit.kind === "program") {
      runtime.guard.endsWith(now.exit.ending.exitCode);
    }
    runtime.guard.endAfter(stage?.longestMs);
  };
}

/**
 * A mistake of ours must not take a running program down with it. Without a program nothing may
 * ever happen any more: the wrapper ends.
 */
function surviveMistakes(
  log: Logger,
  runner: Pick<LifeRunner, "life">,
  giveUp: (error: unknown) => void,
): void {
  onUncaught((error) => {
    if (!runner.life.applicationRuns) return giveUp(error);
    for (const { code, message } of failuresOf(error)) log.error(message, { code });
  });
}

function contextOf(
  { settings, couriers, session }: LifecycleStart,
  { stopping, stoppingForMs, fromOutside }: SignalFront,
): LifeContext {
  const { hasToken, token } = session;
  return {
    ...{ settings, hasToken, token, stoppingForMs, fromOutside },
    memory: couriers.memoryKind,
    isStopping: stopping,
    nowMs: performance.now(),
    wallMs: Date.now(),
    random: Math.random(),
  };
}

/** Probes and Prometheus are answered from the life as it is at that moment. */
function viewOf(
  { settings, session }: LifecycleStart,
  runner: LifeRunner,
  protection: ProtectionWatch,
): StatusView {
  const startedAtMs = Date.now();
  const names = secretNames(settings);
  const budget = checkBudget(settings.rotation.renewalIntervalMs, () => performance.now());
  const context = () => ({
    ...{ version, startedAtMs, names },
    nowMs: performance.now(),
    wallMs: Date.now(),
    token: session.token,
    checks: rotationOf(settings).way !== undefined,
    hasHints: settings.rotation.hints !== undefined,
    staleAfterMs: settings.rotation.staleAfterMs,
    protection: protection.result,
  });
  return {
    readiness: () => readinessOf(runner.life, context()),
    readinessLastsMs: () => readinessLastsMs(runner.life, context()),
    metrics: () => renderMetrics(factsOf(runner.life, context())),
    unserving: () => unservingOf(runner.life),
    check: {
      checkState: () => ({
        ...checkStateOf(runner.life, settings),
        ...shownBeside(runner.life, context()),
      }),
      askForCheck: () => {
        const refusal = budget();
        if (refusal === undefined) runner.dispatch({ kind: "check wanted" });
        return refusal;
      },
    },
    askProgram: () =>
      askProgram(runtime.ask, settings.readinessProbe, readinessOf(runner.life, context())),
  };
}

/** The connection takes its time beside the courier, which fetches the secrets. */
function linkAgent(
  { agent: settings, vault }: WrapperSettings,
  log: Logger,
  observe: (observation: Observation) => void,
): AgentLink | undefined {
  const target = agentTarget(settings);
  if (target === undefined) return undefined;
  return new AgentLink({
    ...{ target, settings, log, tokenPath: tokenPathOf(vault?.auth) },
    onState: (state) => {
      const isConnected = state.kind === "connected";
      const away = { connected: false, ...(state.kind === "away" && { reason: state.reason }) };
      const agent = isConnected ? { connected: true, tier: state.tier } : away;
      observe({ kind: "agent", agent });
    },
  });
}
