import { authenticate, authorize, endSpentToken } from "../auth/authorize.ts";
import type { Call } from "../http/call.ts";
import { booleanField, stringField } from "../http/fields.ts";
import { errors, noContent, plain, type StoreResponse } from "../http/responses.ts";
import { refuse } from "../model/errors.ts";
import type { StoreState } from "../model/store-state.ts";
import { clusterFields } from "./sys-health.ts";
import { OPENBAO_VERSION } from "./version.ts";

/** `GET sys/seal-status` */
export function sealStatus(state: StoreState): StoreResponse {
  return plain(200, {
    type: "shamir",
    initialized: true,
    sealed: state.sealed,
    t: 1,
    n: 1,
    progress: 0,
    nonce: "",
    recovery_seal: false,
    version: OPENBAO_VERSION,
    commit_date: "",
    migration: false,
    ...(state.sealed ? {} : clusterFields(state)),
    storage_type: "inmem",
  });
}

/** `POST sys/seal`: needs a token that may update and sudo here; sealed already is fine. */
export function seal(call: Call): StoreResponse {
  if (call.state.sealed) return noContent();
  const checked = authenticate(call);
  authorize(checked, call.request.path, ["update", "sudo"]);
  endSpentToken(checked);
  call.state.sealed = true;
  return noContent();
}

/** `POST sys/unseal` with the one `key` of the store, or `reset`. */
export function unseal(call: Call): StoreResponse {
  const key = stringField(call.body, "key") ?? "";
  if (booleanField(call.body, "reset") === true) {
    return call.state.sealed ? sealStatus(call.state) : errors(400, "vault is unsealed");
  }
  if (key === "") {
    refuse(400, "'key' must be specified in request body as JSON, or 'reset' set to true");
  }
  const bytes = decodeKey(key) ?? refuse(400, "'key' must be a valid hex or base64 string");
  if (call.state.sealed) unsealWith(call.state, bytes);
  return sealStatus(call.state);
}

function unsealWith(state: StoreState, bytes: Buffer): void {
  if (!bytes.equals(Buffer.from(state.unsealKey, "base64"))) refuse(400, WRONG_KEY);
  state.sealed = false;
}

const WRONG_KEY =
  "unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: " +
  "cipher: message authentication failed";

/** The shortest key that OpenBao takes for one. */
const MIN_KEY_BYTES = 16;

function decodeKey(text: string): Buffer | undefined {
  const hex = /^(?:[0-9a-f]{2})+$/i.test(text);
  if (!hex && !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, hex ? "hex" : "base64");
  return bytes.length < MIN_KEY_BYTES ? undefined : bytes;
}

/** `GET sys/init`: a development store is always initialised; a second time is refused. */
export function initStatus(call: Call): StoreResponse {
  if (call.request.method === "GET") return plain(200, { initialized: true });
  return errors(400, "Vault is already initialized");
}
