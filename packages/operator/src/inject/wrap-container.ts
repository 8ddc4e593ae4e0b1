import type { Problem } from "@svc/settings";
import type { Container, EnvEntry, VolumeMount } from "../pod/pod.ts";
import type { Attachment } from "./attachment.ts";
import { attachmentsOf } from "./attachments.ts";
import { speaksTls } from "./broker-attachments.ts";
import type { Target } from "./choose-containers.ts";
import { containerAuth } from "./container-auth.ts";
import { environmentProblems, ownChoices, settingVariables } from "./container-environment.ts";
import {
  handmade,
  mountProblems,
  problemOf,
  sealedProblems,
  warningsOf,
} from "./container-problems.ts";
import { drainingProbe } from "./draining-probe.ts";
import { withWrappedActions } from "./exec-probes.ts";
import { findProgram, type ImageAnswer, type WrappedProgram } from "./find-program.ts";
import { initWarnings } from "./hand-over.ts";
import { DEFAULT_PORT, type HealthEndpoint } from "./health-endpoints.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { longestWait } from "./longest-wait.ts";
import { setsVariable } from "./own-variables.ts";
import { startMemory } from "./start-memory.ts";
import { startProbes } from "./start-probes.ts";
import { type StopSignal, stopSignalOf } from "./stop-signal.ts";

/** The inputs for wrapping a container. */
export interface WrapPlan {
  readonly settings: InjectionSettings;
  readonly image: ImageAnswer | undefined;
  readonly endpoint: HealthEndpoint;
  /** Undefined if the wrapper's default fits. */
  readonly stopGrace: string | undefined;
  /** True if the pod's containers are not started again: a job. */
  readonly runsOnce: boolean;
  /** The memory limit of the pod as a whole, in bytes. */
  readonly podLimit: number;
  /** True if a mesh's proxy stands in front of the pod's ports. */
  readonly isInMesh: boolean;
  readonly nameOf: (part: Attachment["part"]) => string;
}

/** A container with its wrapper, as far as it can be made. */
export interface WrappedContainer {
  readonly container: Container;
  readonly attachments: readonly Attachment[];
  readonly source: WrappedProgram["source"] | undefined;
  /** Variables that stay as the pod has them. */
  readonly own: readonly string[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** Puts the wrapper in front of a container's program. Everything else of the container stays. */
export function wrapContainer({ container, role }: Target, plan: WrapPlan): WrappedContainer {
  const { settings } = plan;
  const attachments = attachmentsOf(container, settings);
  const found = findProgram(container, plan.image);
  const { isSealed } = containerAuth(container, settings);
  const acting = withActions(container, settings);
  // Uses the actions after they were wrapped: the wrapper of a probe takes the variables away by
  // which another one behind it would know whom to ask.
  const started = startProbes(acting, {
    ...{ role, isSealed, endpoint: plan.endpoint, runsOnce: plan.runsOnce },
    startsLate: found.ok && found.program.launcher?.waits === true,
    waitSeconds: longestWait(container, settings, isSealed),
    portAnnotation: `${settings.operator.prefix}/health-port`,
  });
  const draining = drainingProbe(acting, {
    ...{ role, endpoint: plan.endpoint, settings, isSealed, isInMesh: plan.isInMesh },
    isTls: speaksTls(container, settings),
  });
  const memory = startMemory(container, plan.podLimit);
  const stopSignal = stopSignalFor(container, plan);
  const problems = [
    ...handmade(container),
    ...memory.problems,
    ...(found.ok ? [] : [problemOf(container, { wanted: "one whose program is known", ...found })]),
    ...environmentProblems(container, settings),
    ...mountProblems(container, attachments),
    ...(isSealed ? sealedProblems(container, settings, plan.endpoint) : []),
    ...started.problems,
  ];
  const wrapped = withSettings(acting, {
    plan,
    attachments,
    stopSignal,
    program: found.ok ? found.program : undefined,
    drains: draining.env,
  });
  return {
    container: { ...wrapped, ...draining.probes, ...started.probes },
    attachments,
    source: found.ok ? found.program.source : undefined,
    own: ownChoices(container, settings),
    problems,
    warnings: [
      ...started.warnings,
      ...draining.warnings,
      ...memory.warnings,
      ...initWarnings(container, plan.image, settings),
      ...(stopSignal.warning === undefined ? [] : [stopSignal.warning]),
      ...(isSealed ? openBroker(container, settings) : []),
      ...warningsOf(container, settings),
    ],
  };
}

/** The token crosses the pods' network. */
function openBroker({ name, ...rest }: Container, settings: InjectionSettings): readonly string[] {
  const how = `give ${settings.operator.prefix}/broker-tls-secret`;
  return speaksTls({ name, ...rest }, settings)
    ? []
    : [`container ${name}: its token is brought by plain http: ${how}`];
}

interface Additions {
  readonly plan: WrapPlan;
  readonly attachments: readonly Attachment[];
  readonly stopSignal: StopSignal;
  readonly program: WrappedProgram | undefined;
  /** Variables of the readiness probe. */
  readonly drains: readonly EnvEntry[];
}

function withSettings(container: Container, additions: Additions): Container {
  const { plan, attachments, program } = additions;
  const added = [
    ...(program?.env ?? []),
    ...settingVariables(container, plan.settings),
    ...additions.drains,
    ...[...attachments.flatMap(({ env }) => env), ...derivedVariables(container, additions)].filter(
      ({ name }) => !setsVariable(container, name),
    ),
  ];
  const mounts = attachments.map(({ part, mountPath }): VolumeMount => {
    return { name: plan.nameOf(part), mountPath, readOnly: true };
  });
  const { args: _, ...rest } = container;
  return {
    ...rest,
    command: program?.command ?? container.command ?? [],
    ...(program !== undefined && program.args.length > 0 && { args: program.args }),
    env: [...(container.env ?? []), ...added],
    volumeMounts: [...(container.volumeMounts ?? []), ...mounts],
    ...withIpcLock(container, plan.settings),
  };
}

/**
 * The variables that follow from the pod itself. An annotation takes precedence: its variable
 * exists already.
 */
function derivedVariables(
  { terminationMessagePath: messages }: Container,
  { plan: { endpoint, stopGrace, settings }, program, stopSignal }: Additions,
): readonly EnvEntry[] {
  const entries: EnvEntry[] = [];
  if (endpoint.kind === "loopback") entries.push({ name: "HEALTH_ADDR", value: "127.0.0.1:0" });
  if (endpoint.kind === "port" && endpoint.port !== DEFAULT_PORT) {
    entries.push({ name: "HEALTH_ADDR", value: `:${endpoint.port}` });
  }
  if (stopGrace !== undefined && !settings.texts.has("stopGrace")) {
    entries.push({ name: "SVC_STOP_GRACE", value: stopGrace });
  }
  if (stopSignal.name !== undefined) {
    entries.push({ name: "SVC_STOP_SIGNAL", value: stopSignal.name });
  }
  if (program?.launcher?.ownsTerminationMessage === true) {
    return [...entries, { name: "SVC_TERMINATION_LOG", value: "/dev/null" }];
  }
  const hasOwnPath = (messages ?? "") !== "" && messages !== "/dev/termination-log";
  if (hasOwnPath) entries.push({ name: "SVC_TERMINATION_LOG", value: messages ?? "" });
  return entries;
}

/** An annotation or a SvcConfig takes precedence, and so does a variable of the container. */
function stopSignalFor(container: Container, { settings, image }: WrapPlan): StopSignal {
  const isGiven = settings.texts.has("stopSignal") || setsVariable(container, "SVC_STOP_SIGNAL");
  return isGiven ? {} : stopSignalOf(container, image, settings.values.rotation ?? "restart");
}

/**
 * The capability helps root alone (the kernel takes added ones from other users), and only if it
 * is asked for.
 */
function withIpcLock(
  { securityContext }: Container,
  { values }: InjectionSettings,
): Partial<Container> {
  const { add, drop } = securityContext?.capabilities ?? {};
  const names = [...(add ?? []), ...(drop ?? [])];
  const isWanted = values.addIpcLock ?? values.requireMlock ?? false;
  // A container that names it has chosen.
  if (!isWanted || names.includes("IPC_LOCK")) return {};
  const capabilities = { ...securityContext?.capabilities, add: [...(add ?? []), "IPC_LOCK"] };
  return { securityContext: { ...securityContext, capabilities } };
}

function withActions(container: Container, { values }: InjectionSettings): Container {
  return values.unprotectedProbes ? withWrappedActions(container) : container;
}
