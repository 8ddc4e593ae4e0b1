import type { Action, Scenario } from "../world/scenario.ts";

/** Actions after which the wrapper works as before. */
const harmless: ReadonlySet<Action["kind"]> = new Set([
  ...(["change", "ask for a check", "look at the check"] as const),
  ...(["touch refresh file", "flood of hints", "ask ready"] as const),
]);
/** An answer takes that long at most. */
const SLOW_MS = 3000;

const known = new WeakMap<Scenario, boolean>();

/**
 * Whether nothing fails in a run beside the operator: the vault answers, no call is refused, no
 * process is killed or frozen, and no token ends.
 */
export function isUndisturbed(scenario: Scenario): boolean {
  const found = known.get(scenario) ?? lookAt(scenario);
  known.set(scenario, found);
  return found;
}

function lookAt(scenario: Scenario): boolean {
  const { refusal, courierEnd, programEnd, signal } = scenario.disturbance;
  const { login, outages, floods, actions, programs, arrival } = scenario;
  const parts = [
    scenario.behind,
    scenario.refusals,
    scenario.programKill,
    scenario.errand,
    scenario.freeze,
    scenario.leased,
    scenario.role,
    scenario.agent,
  ];
  return (
    parts.every((part) => part === undefined) &&
    (login.kind === "token" || login.kind === "file") &&
    scenario.slowestAnswerMs <= SLOW_MS &&
    // An answer may come later than a request may last.
    secondsOf(scenario, "VAULT_CLIENT_TIMEOUT") * 1000 > scenario.slowestAnswerMs &&
    (arrival?.descriptorLimit ?? 1024) >= 64 &&
    refusal + courierEnd + programEnd + signal === 0 &&
    outages.length + floods.length === 0 &&
    actions.every(({ kind }) => harmless.has(kind)) &&
    programs.every(({ exits }) => exits === undefined)
  );
}

/** The most seconds until the operator gives a permit: each question and each pause takes a while. */
export function askingSeconds(operator: Scenario["operator"]): number {
  return typeof operator?.waits === "number" ? (operator.waits + 1) * 14 : 0;
}

/** A setting that is a number of seconds; 0 without it. */
export function secondsOf({ settings }: Pick<Scenario, "settings">, name: string): number {
  return Number.parseInt(settings[name] ?? "0", 10);
}
