import { processesOf } from "../../harness/agent/is-about.ts";
import type { PrintedRecord } from "../../harness/agent/running-agent.ts";

/** Compares attacks that were made with the records of agents. */
export interface ToldAttacks {
  readonly made: (attacker: number, name: string) => void;
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

/** An attacker's record may come before the attack is noted, so it is kept until all is over. */
export function toldAttacks(): ToldAttacks {
  const waiting = new Map<number, MadeAttack>();
  const known = new Set<number>();
  const untold: MadeAttack[] = [];
  let unclaimed: readonly PrintedRecord[] = [];
  const settle = (): void => {
    unclaimed = unclaimed.filter((record) => {
      const { actor, actorParent } = processesOf(record);
      const attacker = [actor, actorParent].find((pid) => known.has(pid));
      if (attacker !== undefined) waiting.delete(attacker);
      return attacker === undefined;
    });
  };
  const missing = (isExcused: boolean): readonly string[] =>
    [...untold, ...waiting.values()].flatMap((made) =>
      made.isExcused === isExcused ? [made.name] : [],
    );
  return {
    made: (attacker, name) => {
      const before = waiting.get(attacker);
      if (before !== undefined) untold.push(before);
      waiting.set(attacker, { name, madeMs: performance.now(), isExcused: false });
      known.add(attacker);
      const [oldest] = known;
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    },
    killing: () => {
      const fromMs = performance.now() - MOMENT_MS;
      for (const made of waiting.values()) if (made.madeMs >= fromMs) made.isExcused = true;
    },
    told: (records) => {
      unclaimed = [...unclaimed, ...records.filter(({ kind }) => !ofItself.includes(kind))];
      settle();
    },
    misses: () => missing(false),
    lost: () => missing(true),
    strays: () => unclaimed,
  };
}
