import type { SecretPhase } from "./secret-phase.ts";

/**
 * The place of a store's new keys, which this run holds and which are nowhere else. A reservation
 * has nothing in it, no matter which run made it. Another object with the Secret's name may have
 * the keys of another store.
 *
 * @param resets how often the store had been reset when it gave these keys; after one more reset
 * they are void
 */
export function placeForKeys(secret: SecretPhase, resets: number): "there" | "beside" | "nowhere" {
  switch (secret.phase) {
    case "absent":
    case "empty":
      return "there";
    case "reserved":
    case "initialising":
    case "resetting":
      return secret.resets > resets ? "nowhere" : "there";
    case "initialised":
      return secret.resets > resets ? "nowhere" : "beside";
    case "foreign":
      return "beside";
  }
}
