import type { Container, Probe } from "../pod/pod.ts";
import { WRAPPER } from "./paths.ts";

const probeFields = ["readinessProbe", "livenessProbe", "startupProbe"] as const;
const hookFields = ["postStart", "preStop"] as const;

/** The probes and hooks of a container that run a command, by their names in the pod. */
export function execActions(container: Container): readonly string[] {
  return [
    ...probeFields.filter((field) => runsProgram(container[field])),
    ...hookFields
      .filter((hook) => runsProgram(container.lifecycle?.[hook]))
      .map((hook) => `lifecycle.${hook}`),
  ];
}

/**
 * Puts a separate wrapper in front of each of them: one that fetches once and leaves the first
 * one's port alone.
 */
export function withWrappedActions(container: Container): Container {
  const probes = probeFields.flatMap((field) => {
    const probe = container[field];
    return runsProgram(probe) ? [[field, wrappedAction(probe)] as const] : [];
  });
  const { lifecycle } = container;
  const hooks = hookFields.flatMap((hook) => {
    const action = lifecycle?.[hook];
    return runsProgram(action) ? [[hook, wrappedAction(action)] as const] : [];
  });
  return {
    ...container,
    ...Object.fromEntries(probes),
    ...(hooks.length > 0 && { lifecycle: { ...lifecycle, ...Object.fromEntries(hooks) } }),
  };
}

/** True for a probe or a hook that runs a command. */
export function runsCommand(probe: Probe | null | undefined): probe is Probe {
  return (probe?.exec?.command ?? []).length > 0;
}

/** True for one whose command is not the wrapper already, as in a copy of an injected pod. */
function runsProgram(probe: Probe | null | undefined): probe is Probe {
  return runsCommand(probe) && probe.exec?.command?.[0] !== WRAPPER;
}

/** Asks the container's own wrapper whether its program runs: docs/decisions/0105. */
export const ONCE_READY = [WRAPPER, "--once-ready"] as const;

/** Asks it whether its program takes requests: docs/decisions/0133. */
const ONCE_SERVING = [WRAPPER, "--once-serving"] as const;

/**
 * Makes the wrapper's command ask the container's own wrapper first, and become the probe's only
 * after the program runs. The kubelet gives the probe the container's environment, so it
 * knows the address and the transport of that wrapper.
 */
export function onceReady(probe: Probe): Probe {
  return behind(ONCE_READY, probe);
}

/** The same, and it fails while the program is about to be replaced. */
export function onceServing(probe: Probe): Probe {
  return behind(ONCE_SERVING, probe);
}

function behind(question: readonly string[], probe: Probe): Probe {
  const own = probe.exec?.command ?? [];
  if (question.every((word, at) => own[at] === word)) return probe;
  return { ...probe, exec: { ...probe.exec, command: [...question, "--", ...own] } };
}

/** Kubernetes expands nothing in these words. */
function wrappedAction(probe: Probe): Probe {
  const flags = ["--health-addr=127.0.0.1:0", "--rotation=none", "--termination-log=/dev/null"];
  const command = [WRAPPER, ...flags, "--", ...(probe.exec?.command ?? [])];
  return { ...probe, exec: { ...probe.exec, command } };
}
