import { type HintedSecret, type HintSubscription, MOST_HINTED_SECRETS } from "@svc/protocol";
import { kvPlaceOf } from "@svc/vault";
import { isFields, jsonIn } from "../image/json-fields.ts";
import { countIn, field, listIn, textIn } from "../rotation/fields.ts";

/** The most that a subscription has: a token, and the paths. */
export const MOST_SUBSCRIPTION_BYTES = 128 * 1024;

const MOST_PATH_LENGTH = 1024;
const MOST_ADDRESS_LENGTH = 2048;
const KEY = /^[0-9a-f]{64}$/;
const MOST_PORT = 65_535;

/** Reads the body of a subscription; a text names its fault, and quotes nothing of it. */
export function parseSubscription(body: Uint8Array): HintSubscription | string {
  const value = jsonIn(body);
  if (!isFields(value)) return "it is not a JSON object";
  const [token, key] = [textIn(value, "token"), textIn(value, "key")];
  const address = textIn(value, "vault", "address");
  const port = countIn(value, ["port"], 0);
  const tls = field(value, "tls");
  if (token === undefined) return "token: must be a text";
  if (address === undefined || address.length > MOST_ADDRESS_LENGTH) {
    return "vault.address: must be a text";
  }
  if (port < 1 || port > MOST_PORT) return "port: must be a number of a port";
  if (typeof tls !== "boolean") return "tls: must be true or false";
  if (key === undefined || !KEY.test(key)) return "key: must be 64 hexadecimal digits";
  const namespace = textIn(value, "vault", "namespace");
  if (namespace !== undefined && namespace.length > MOST_ADDRESS_LENGTH) {
    return "vault.namespace: it is too long";
  }
  const secrets = parseSecrets(listIn(value, "secrets"));
  if (typeof secrets === "string") return secrets;
  const vault = namespace === undefined ? { address } : { address, namespace };
  return { token, vault, port, tls, key, secrets };
}

function parseSecrets(list: readonly unknown[]): readonly HintedSecret[] | string {
  if (list.length === 0) return "secrets: must be a list with at least one secret";
  if (list.length > MOST_HINTED_SECRETS) return `secrets: ${MOST_HINTED_SECRETS} at most`;
  const secrets = new Map<string, HintedSecret>();
  for (const [index, item] of list.entries()) {
    const path = textIn(item, "path");
    const version = countIn(item, ["version"], 0);
    if (path === undefined || path.length > MOST_PATH_LENGTH || kvPlaceOf(path) === undefined) {
      return `secrets[${index}].path: must be the data path of a KV v2 secret`;
    }
    if (version < 1) return `secrets[${index}].version: must be a number from 1`;
    if (secrets.has(path)) return `secrets[${index}].path: it is there twice`;
    secrets.set(path, { path, version });
  }
  return [...secrets.values()];
}
