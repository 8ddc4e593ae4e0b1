import { listAttacks } from "@svc/testing";
import { isAbout } from "../harness/agent/is-about.ts";
import type { EnforcedAttack, EnforcedStory, TamperedAgent } from "./guest/guest-results.ts";

/**
 * The outcome of an attack under an agent that enforces. `blocked`: every attempt was refused, and
 * nothing left. `killed`: the agent killed the actor, and some bytes may have left. `seen`: the
 * agent reported it. `not covered`: the agent did not notice it.
 */
export type EnforcedOutcome = "blocked" | "killed" | "seen" | "not covered";

/** The outcome of an attack that was tried often. */
export interface EnforcedSight {
  readonly outcome: EnforcedOutcome;
  /** How attempts ended for the attackers: the errno that they got, `killed`, `ok`. */
  readonly answer: string;
  /** How many attempts had bytes of the secret. */
  readonly leaked: number;
  /** `ends` if the victim ended by the attack, or was left stopped. */
  readonly victim?: "ends";
}

/** The number of attempts by each attack. */
export const ATTEMPTS = 50;

/** The outcome of every attack. */
export function enforcedTable({
  attacks,
  records,
}: EnforcedStory): Readonly<Record<string, EnforcedSight>> {
  const indirect = listAttacks().filter(({ isIndirect }) => isIndirect);
  const sights = Object.entries(attacks).map(([name, attack]) => {
    const isIndirect = indirect.some((other) => other.name === name);
    const decisions = new Map<string, number>();
    for (const record of records.filter((one) => isAbout(one, attack))) {
      decisions.set(record.decision, (decisions.get(record.decision) ?? 0) + record.count);
    }
    const isRefused = isIndirect ? attack.victimLives : refusalsOf(attack) === ATTEMPTS;
    const outcome = outcomeOf(isRefused && attack.leaked === 0, decisions);
    const { leaked, victimLives } = attack;
    const end = victimLives ? {} : ({ victim: "ends" } as const);
    return [name, { outcome, answer: answerOf(attack), leaked, ...end }] as const;
  });
  return Object.fromEntries(sights);
}

function refusalsOf({ refused }: EnforcedAttack): number {
  return Object.values(refused).reduce((sum, times) => sum + times, 0);
}

/** @param isRefused whether every attempt failed */
function outcomeOf(isRefused: boolean, decisions: ReadonlyMap<string, number>): EnforcedOutcome {
  if (isRefused && decisions.has("blocked")) return "blocked";
  if ((decisions.get("killed") ?? 0) > 0) return "killed";
  return decisions.size > 0 ? "seen" : "not covered";
}

function answerOf({ refused, ok, killed }: Pick<EnforcedAttack, "refused" | "ok" | "killed">) {
  const words = Object.keys(refused).sort();
  if (killed > 0) words.push("killed");
  if (ok > 0) words.push("ok");
  return words.join(", ");
}

/** The state of an agent after tampering. */
export interface TamperSight {
  readonly answer: string;
  readonly agent: TamperedAgent["agent"];
  /** Whether a protected process's memory could be read afterwards. */
  readonly protection: "stays" | "is gone";
}

/** The state of the agent after each way of tampering. */
export function tamperTable({ tampers }: EnforcedStory): Readonly<Record<string, TamperSight>> {
  const sights = Object.entries(tampers).map(([name, tamper]): [string, TamperSight] => {
    const { agent, leaked } = tamper;
    return [
      name,
      { answer: answerOf(tamper), agent, protection: leaked === 0 ? "stays" : "is gone" },
    ];
  });
  return Object.fromEntries(sights);
}
