import { badResponse, memberReader, successEnvelope } from "../http/envelope.ts";
import { jsonBody } from "../http/json-body.ts";
import { callOnce, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import { Secret } from "../values/secret.ts";

/** How a store is initialised. */
export interface InitialisationRequest {
  /** From 1 to 255. */
  readonly shares: number;
  readonly threshold: number;
  /** Public keys in base64, one for each share, which is then encrypted to it. */
  readonly pgpKeys?: readonly string[] | undefined;
  /** The public key that the root token is encrypted to. */
  readonly rootTokenPgpKey?: string | undefined;
}

/**
 * The result of an initialisation. The store returns it only once.
 *
 * A `Secret` prints as `[secret]`. On Bun it cannot be wiped. The answer is in this process's heap,
 * fetch has its own copies below it, and JavaScript erases neither. Copies of each share were
 * found after everything was dropped and collected; each share that is sent leaves more. A process
 * that initialises a store must be short-lived, and neither swap nor dump core.
 */
export interface Initialised {
  /** Base64, as sys/unseal takes them; encrypted if PGP keys were given. */
  readonly shares: readonly Secret[];
  /** Encrypted if a PGP key was given for it. */
  readonly rootToken: Secret;
}

/**
 * A store on slow disks takes its time, and giving up early would lose the keys. The server gives
 * up a request after 90 s by default.
 */
const TIMEOUT_MS = 120_000;

/**
 * PUT /v1/sys/init, sent once: after a lost answer a second try could only be refused.
 *
 * @throws VaultError `ALREADY_INITIALIZED`; whether anything was changed is open after `TIMEOUT`,
 *   `UNREACHABLE`, `SERVER_ERROR` and `BAD_RESPONSE`
 */
export function initialise(
  caller: VaultCaller,
  wanted: InitialisationRequest,
): Promise<Initialised> {
  const request: VaultRequest = {
    operation: "initialise the store",
    method: "PUT",
    target: "sys/init",
    path: "sys/init",
    rootNamespace: true,
    arrivesOnce: true,
    mayRedirect: false,
    body: jsonBody({
      secret_shares: wanted.shares,
      secret_threshold: wanted.threshold,
      pgp_keys: wanted.pgpKeys,
      root_token_pgp_key: wanted.rootTokenPgpKey,
    }),
  };
  const patient = { ...caller, requestTimeoutMs: Math.max(TIMEOUT_MS, caller.requestTimeoutMs) };
  return callOnce(patient, request, (response) => readInitialised(request, response));
}

function readInitialised(request: VaultRequest, response: VaultResponse): Initialised {
  const answer = memberReader(request, successEnvelope(request, response), "answer");
  // However many they are: to refuse the answer would lose them for good.
  const shares = answer.secrets("keys_base64");
  if (shares.length === 0) throw badResponse(request, "answer.keys_base64 is empty");
  return {
    shares: shares.map((share) => new Secret(share)),
    rootToken: new Secret(answer.secret("root_token")),
  };
}
