import { processesOf } from "../../harness/agent/is-about.ts";
import type { PrintedRecord } from "../../harness/agent/running-agent.ts";

/** Compares attacks that were made with the records of agents. */
export interface ToldAttacks {
  readonly made: (attacker: number, name: string) => void;
  /** A process of the soak's own ends an agent: some tiers report that, and some do not see it. */
  readonly mayBeTold: (actor: number) => void;
  /** An agent is about to be killed: events that it has read and not written are lost with it. */
  readonly killing: () => void;
  readonly told: (records: readonly PrintedRecord[]) => void;
  /** Attacks that no agent has reported, without an excuse. */
  readonly misses: () => readonly string[];
  /** Attacks that no agent has reported, from the moment before an agent was killed. */
  readonly lost: () => readonly string[];
  /** Records of a process that has not attacked. */
  readonly strays: () => readonly PrintedRecord[];
}

interface MadeAttack {
  readonly name: string;
  readonly madeMs: number;
  isExcused: boolean;
}

/** The kinds of an agent's records about itself. */
const ofItself = ["agent_started", "agent_stopped", "agent_adoption"];
/** As many as live at a time, by far: pids come again. */
const REMEMBERED = 2000;
/** A busy agent's. */
const MOMENT_MS = 500;

/**
 * An attacker's record may come before the attack is noted, so it is kept until all is over. A new
 * agent reads the attempts of minutes at once, and sums up those beyond a hundred of a program and
 * a kind. Such a record names one process, and says how many attempts there were.
 *
 * @param kindsOf the kinds of events that an attack is reported as
 */
export function toldAttacks(kindsOf: (name: string) => readonly string[]): ToldAttacks {
  const waiting = new Map<number, MadeAttack>();
  const known = new Set<number>();
  const untold: MadeAttack[] = [];
  const summedUp = new Map<string, number>();
  let unclaimed: readonly PrintedRecord[] = [];
  const remember = (actor: number): void => {
    known.add(actor);
    const [oldest] = known;
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  const settle = (): void => {
    unclaimed = unclaimed.filter((record) => {
      const { actor, actorParent } = processesOf(record);
      const attacker = [actor, actorParent].find((pid) => known.has(pid));
      if (attacker !== undefined) waiting.delete(attacker);
      return attacker === undefined;
    });
  };
  const missing = (isExcused: boolean): readonly string[] => {
    const left = new Map(summedUp);
    const isSummedUp = ({ name }: MadeAttack): boolean => {
      const kind = kindsOf(name).find((one) => (left.get(one) ?? 0) > 0);
      if (kind !== undefined) left.set(kind, (left.get(kind) ?? 0) - 1);
      return kind !== undefined;
    };
    return [...untold, ...waiting.values()]
      .filter((made) => made.isExcused === isExcused && !isSummedUp(made))
      .map(({ name }) => name);
  };
  return {
    made: (attacker, name) => {
      const before = waiting.get(attacker);
      if (before !== undefined) untold.push(before);
      waiting.set(attacker, { name, madeMs: performance.now(), isExcused: false });
      remember(attacker);
    },
    mayBeTold: remember,
    killing: () => {
      const fromMs = performance.now() - MOMENT_MS;
      for (const made of waiting.values()) if (made.madeMs >= fromMs) made.isExcused = true;
    },
    told: (records) => {
      for (const { kind, count } of records) {
        const others = Number(count ?? 1) - 1;
        summedUp.set(kind, (summedUp.get(kind) ?? 0) + others);
      }
      unclaimed = [...unclaimed, ...records.filter(({ kind }) => !ofItself.includes(kind))];
      settle();
    },
    misses: () => missing(false),
    lost: () => missing(true),
    strays: () => unclaimed,
  };
}
