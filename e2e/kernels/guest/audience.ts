import { DeliveryMethod } from "@svc/agent-protocol";
import { runAttack, startAttackVictim, waitFor } from "@svc/testing";
import type { PrintedRecord, RunningAgent } from "../../agent/running-agent.ts";
import { pidOf } from "./pid-of.ts";

/** Hears what an agent says of what is done. */
export interface Audience extends AsyncDisposable {
  readonly agent: RunningAgent;
  /** The records of everything that happens until the function is done: those and no later ones. */
  readonly during: (act: () => Promise<void>) => Promise<readonly PrintedRecord[]>;
}

/**
 * Events come in the order in which they happened: when the agent has told of an attempt of ours, on a process that
 * is there for that, it has told of all that was before.
 */
export async function openAudience(agent: RunningAgent): Promise<Audience> {
  const victim = await startAttackVictim();
  // Those who look at all environments look at its, too.
  await agent.protect(victim.pid, DeliveryMethod.INJECT);
  let heard = 0;
  const catchUp = async (): Promise<readonly PrintedRecord[]> => {
    const { pid } = await runAttack("process-vm-readv", victim);
    const end = await waitFor(
      () => agent.records().findIndex((record) => pidOf(record) === pid) + 1 || false,
      { deadlineMs: 60_000, what: `svc-agent to tell of attacker ${pid}: ${agent.log()}` },
    );
    const news = agent.records().slice(heard, end - 1);
    heard = end;
    return news;
  };
  await catchUp();
  return {
    agent,
    during: async (act) => {
      await act();
      return catchUp();
    },
    [Symbol.asyncDispose]: () => victim[Symbol.asyncDispose](),
  };
}
