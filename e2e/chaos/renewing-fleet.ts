import { type OpenBao, startOpenBao, waitFor } from "@svc/testing";
import { type Fleet, startFleet } from "./fleet.ts";
import type { MemberPlan } from "./fleet-plan.ts";
import { monotonicClock } from "./monotonic-clock.ts";
import { type ValueHistory, valueHistory } from "./value-history.ts";
import { secretPath, setUpVault } from "./vault-set-up.ts";
import { sampleWrapper, type WrapperSample } from "./wrapper-sample.ts";

export interface RenewingFleetOptions {
  readonly size: number;
  readonly folder: string;
  /** The life of the tokens that the wrappers log in for. */
  readonly ttlS: number;
  readonly renewalInterval: string;
}

/** Wrappers that log in once and live by renewals, in front of a real OpenBao. */
export interface RenewingFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly bao: OpenBao;
  readonly history: ValueHistory;
  readonly sample: () => Promise<readonly WrapperSample[]>;
  /** Waits until that many renewals have been made by all of them together. */
  readonly renewals: (count: number, deadlineMs: number) => Promise<void>;
}

/** Longer than any run: a login in between means that a renewal was missed. */
const MAX_TTL_S = 36_000;
const START_DEADLINE_MS = 60_000;

const plan = { mode: "restart", delivery: "inject", shell: false, login: "kubernetes" } as const;

/** Starts all of them and waits until every program runs. */
export async function renewingFleet(options: RenewingFleetOptions): Promise<RenewingFleet> {
  await using stack = new AsyncDisposableStack();
  const bao = stack.use(await startOpenBao());
  const logins = { loginTtlS: options.ttlS, loginMaxTtlS: MAX_TTL_S };
  const vault = stack.use(await setUpVault(bao, logins));
  const history = valueHistory(() => bao, secretPath, monotonicClock());
  const value = await history.change();
  const plans = Array.from({ length: options.size }, (_, index): MemberPlan => {
    return { ...plan, name: `renews-${index}` };
  });
  const fleet = stack.use(
    await startFleet(plans, {
      folder: options.folder,
      vaultAddress: bao.address,
      vault,
      environment: { RENEWAL_INTERVAL: options.renewalInterval, SVC_LOG_LEVEL: "info" },
    }),
  );
  await fleet.converge(value, START_DEADLINE_MS);
  const sample = () => Promise.all(fleet.members.map(sampleWrapper));
  const started = stack.move();
  return {
    fleet,
    bao,
    history,
    sample,
    renewals: async (count, deadlineMs) => {
      const what = `${count} renewals`;
      await waitFor(async () => totalOf(await sample()).renewed >= count, { deadlineMs, what });
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** The sums of all wrappers' counts. */
export function totalOf(samples: readonly WrapperSample[]) {
  const sum = (read: (sample: WrapperSample) => number) =>
    samples.reduce((total, sample) => total + read(sample), 0);
  return {
    renewed: sum(({ renewed }) => renewed),
    missed: sum(({ missed }) => missed),
    checks: sum(({ checks }) => checks),
    logins: sum(({ logins }) => logins),
    processorMs: sum(({ processorMs }) => processorMs),
  };
}
