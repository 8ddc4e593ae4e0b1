import { DeliveryMethod } from "@svc/agent-protocol";
import { runAttack, startAttackVictim, waitFor } from "@svc/testing";
import { pidOf } from "./pid-of.ts";
import type { PrintedRecord, RunningAgent } from "./running-agent.ts";

/** Hears the events that an agent reports during a test. */
export interface Audience extends AsyncDisposable {
  readonly agent: RunningAgent;
  /** The records of everything that happens until the function is done: those and no later ones. */
  readonly during: (act: () => Promise<void>) => Promise<readonly PrintedRecord[]>;
}

/**
 * Events come in the order in which they happened. So the test makes an attempt on a separate
 * process: when the agent has reported that, it has reported all earlier events.
 */
export async function openAudience(agent: RunningAgent): Promise<Audience> {
  const victim = await startAttackVictim();
  // Tools that read every environment read its, too.
  await agent.protect(victim.pid, DeliveryMethod.INJECT);
  let heard = 0;
  const catchUp = async (): Promise<readonly PrintedRecord[]> => {
    const { pid } = await runAttack("process-vm-readv", victim);
    const end = await waitFor(
      () => agent.records().findIndex((record) => pidOf(record) === pid) + 1 || false,
      { deadlineMs: 60_000, what: `svc-agent to report attacker ${pid}: ${agent.log()}` },
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
