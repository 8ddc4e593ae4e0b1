import type { PlantedFault } from "./planted-fault.ts";

const life = "wrapper/src/life";
const lifecycle = "wrapper/src/lifecycle";

/** Faults in permits, hints, checks that are asked for, readiness, and secrets on their way. */
export const callerFaults: readonly PlantedFault[] = [
  {
    name: "the MAC of a hint is not checked",
    file: `${lifecycle}/hint-keys.ts`,
    from: "if (!isEqual(hmacSha256(bytes, [hintText(hint)]), mac)) return undefined;",
    to: "",
  },
  {
    name: "the sequence of a hint is not checked",
    file: `${lifecycle}/hint-keys.ts`,
    from: "if (hint.sequence <= last) return undefined;",
    to: "",
  },
  {
    name: "a hint that all is fresh holds for ever",
    file: `${life}/running-life.ts`,
    from: "return nowMs < freshUntilMs && !stage.isOutdated;",
    to: "return 0 < freshUntilMs && !stage.isOutdated;",
  },
  {
    name: "a hint of a change causes no check",
    file: `${life}/hints.ts`,
    from: "const isChecked = hint.mayCheck && isRunning(stale);",
    to: "const isChecked = false;",
  },
  {
    name: "hints cause as many checks as they like",
    file: `${lifecycle}/hint-subscription.ts`,
    from: "const refusal = this.#mayCheck();",
    to: "const refusal = undefined as ReturnType<typeof this.#mayCheck>;",
  },
  {
    name: "clients may ask for as many checks as they like",
    file: "wrapper/src/health/check-budget.ts",
    from: "left -= 1;",
    to: "",
  },
  {
    name: "a rotation waits for no permit",
    file: `${life}/permits.ts`,
    from: "const isAsked = settings.rotation.permits !== undefined && rotationOf(settings).restarts;",
    to: "const isAsked = false;",
  },
  {
    name: "a rotation waits ten seconds for an operator that is away",
    file: `${life}/permits.ts`,
    from: "if (silentMs >= PATIENCE_MS) {",
    to: "if (silentMs >= PATIENCE_MS / 60) {",
  },
  {
    name: "each answer of the operator puts the next check off",
    file: `${life}/permits.ts`,
    from: "planned.stage.checks.hurry ? goOn",
    to: "true ? goOn",
  },
  {
    name: "the operator does not hear that a rotation is over",
    file: `${lifecycle}/effects.ts`,
    from: "void tellPermit(this.#parts, say),",
    to: "void say,",
  },
  {
    name: "checks come twice as often",
    file: `${life}/pace.ts`,
    from: "intervalMs * (0.9 + random * 0.2);",
    to: "intervalMs * (0.4 + random * 0.2);",
  },
  {
    name: "a registration counts although its agent has left before the start",
    file: "wrapper/src/agent/agent-link.ts",
    from: "if (program.isRegistered) program.outcome = Promise.withResolvers<Registration>();",
    to: "",
  },
  {
    name: "a program that runs never becomes ready",
    file: `${life}/running-life.ts`,
    from: '    enterPhase(doing(life, { kind: "waiting", next, checkAtMs }), { kind: "running" }),',
    to: '    step(doing(life, { kind: "waiting", next, checkAtMs })),',
  },
  {
    name: "values are stale too soon",
    file: `${life}/status.ts`,
    from: "if (ageMs < staleAfterMs) return undefined;",
    to: "if (ageMs < staleAfterMs / 50) return undefined;",
  },
  {
    name: "the supervisor keeps the token mapped",
    file: "wrapper/src/processes/take-token.ts",
    from: "mapping.unmap();",
    to: "",
  },
  {
    name: "the supervisor reads a token of the vault",
    file: "wrapper/src/agent/agent-proof.ts",
    from: "readSecretFile(path, MOST_TOKEN_BYTES)",
    to: 'readSecretFile("/run/token", MOST_TOKEN_BYTES)',
  },
];
