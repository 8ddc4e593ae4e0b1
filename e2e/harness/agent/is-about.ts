/** The attacker and the victim: each attack has its own. */
export interface Encounter {
  readonly attacker: number;
  readonly victim: number;
}

/** The processes of a record, for a comparison. */
export interface RecordProcesses {
  readonly actor: number;
  readonly actorParent: number;
  /** 0 if it names none. */
  readonly target: number;
}

/**
 * Whether a record reports an encounter: helpers of the attacker's and children of the victim's are
 * parts of it.
 */
export function isAbout(
  { actor, actorParent, target }: RecordProcesses,
  { attacker, victim }: Encounter,
): boolean {
  return [actor, actorParent].includes(attacker) || [target, actorParent].includes(victim);
}

/** The pids that a record names, or the event that it is made of. */
export function processesOf(record: object): RecordProcesses {
  const { actor, target }: NamedProcesses = { ...record };
  return {
    actor: numberIn(actor, "pid"),
    actorParent: numberIn(actor, "parentPid"),
    target: numberIn(target, "pid"),
  };
}

interface NamedProcesses {
  readonly actor?: unknown;
  readonly target?: unknown;
}

function numberIn(value: unknown, name: string): number {
  const facts: Readonly<Record<string, unknown>> =
    typeof value === "object" && value !== null ? { ...value } : {};
  return Number(facts[name] ?? 0);
}
