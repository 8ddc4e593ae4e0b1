import { VaultError } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepOutcome } from "../step.ts";
import { askUntil } from "./ask-until.ts";
import type { Plan, Wanted } from "./plan.ts";
import type { StoreAccess } from "./store-access.ts";

/** Standby nodes that answer reads by themselves are behind by moments. */
const PATIENCE = { deadlineMs: 10_000, intervalMs: 50 };

/**
 * Makes an object as wanted: reads the present one, writes the differences, and reads it again.
 *
 * @throws BootstrapError if something else is in the way, or `NOT_KEPT`
 * @throws VaultError
 */
export async function ensure(access: StoreAccess, wanted: Wanted): Promise<StepOutcome> {
  const plan = await planNow(access, wanted);
  if (plan.outcome !== "unchanged" && access.dryRun !== true) await apply(access, wanted, plan);
  const differs = plan.outcome === "updated" ? { differs: plan.differs } : {};
  return { step: wanted.step, outcome: plan.outcome, ...differs };
}

async function planNow({ admin, token }: StoreAccess, wanted: Wanted): Promise<Plan> {
  return wanted.plan(await admin.read(token, wanted.readPath));
}

type Change = Exclude<Plan, { readonly outcome: "unchanged" }>;

async function apply(access: StoreAccess, wanted: Wanted, { write }: Change): Promise<void> {
  const { admin, token } = access;
  const refusal = await admin.write({ token, ...write }).catch(refusalOf);
  const now = () => planNow(access, wanted);
  // A refused write may be the second of two that both arrived: the present state decides.
  const patience = refusal === undefined ? PATIENCE : { ...PATIENCE, deadlineMs: 0 };
  const after = await askUntil(now, ({ outcome }) => outcome === "unchanged", patience);
  if (after.outcome === "unchanged") return;
  throw refusal ?? notKept(write.path, after);
}

function refusalOf(error: unknown): VaultError {
  if (error instanceof VaultError && error.code === "BAD_REQUEST") return error;
  throw error;
}

function notKept(path: string, after: Change): BootstrapError {
  const found =
    after.outcome === "updated" ? `${after.differs.join(", ")} differs` : "it is absent";
  return new BootstrapError("NOT_KEPT", `write ${path}: read back afterwards: ${found}`);
}
