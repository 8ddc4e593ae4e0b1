import {
  type InitialisationRequest,
  type Initialised,
  type NodeState,
  type VaultAdministration,
  VaultError,
} from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";

/**
 * Initialises a store at one of its nodes. Its result exists nowhere else: store it before
 * any other step.
 *
 * Only one of a cluster's nodes may be initialised, and the others join it. Otherwise each would
 * become a separate store.
 *
 * @throws VaultError `ALREADY_INITIALIZED`, and others if nothing was changed
 * @throws BootstrapError `INIT_ANSWER_LOST`, `INIT_OUTCOME_UNKNOWN`, `SEAL_UNSUPPORTED`
 */
export async function initialiseStore(
  node: VaultAdministration,
  wanted: InitialisationRequest,
): Promise<Initialised> {
  requireUninitialised(node, await node.nodeState());
  try {
    return await node.initialise(wanted);
  } catch (error) {
    throw await explained(node, error);
  }
}

function requireUninitialised(node: VaultAdministration, state: NodeState): void {
  if (state.initialized) {
    const message = `initialise the store at ${node.address}: it is initialised`;
    throw new VaultError("ALREADY_INITIALIZED", message);
  }
  requireShamir(node, state);
}

/**
 * @throws BootstrapError `SEAL_UNSUPPORTED` if something else than key shares unseals the node
 */
export function requireShamir(
  { address }: Pick<VaultAdministration, "address">,
  state: NodeState,
): void {
  if (state.sealType !== "shamir") {
    const found = `its seal is of type "${state.sealType}"`;
    throw new BootstrapError("SEAL_UNSUPPORTED", `initialise the store at ${address}: ${found}`);
  }
}

/**
 * Refusals after which the store is as it was. `BAD_REQUEST` does not belong to them: a PGP key for
 * the root token that cannot be encrypted to is refused so when the store has been initialised.
 */
const refusals: ReadonlySet<string> = new Set([
  ...["ALREADY_INITIALIZED", "DENIED", "NOT_FOUND", "RATE_LIMITED", "DNS", "TLS"],
  ...["REDIRECT_REFUSED", "REDIRECT_LOOP", "INVALID_INPUT"],
]);

/** Finds out whether the store was initialised though no usable answer came. */
async function explained(node: VaultAdministration, error: unknown): Promise<unknown> {
  if (!(error instanceof VaultError) || refusals.has(error.code)) return error;
  const failed = `initialise the store at ${node.address}`;
  const state = await node.nodeState().catch(() => undefined);
  if (state === undefined) {
    const message = `${failed}: ${error.message}; afterwards it did not answer`;
    return new BootstrapError("INIT_OUTCOME_UNKNOWN", message, { cause: error });
  }
  if (!state.initialized) return error;
  const message = `${failed}: ${error.message}; afterwards it is initialised`;
  return new BootstrapError("INIT_ANSWER_LOST", message, { cause: error });
}
