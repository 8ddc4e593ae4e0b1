import type { SecretPhase } from "./secret-phase.ts";

/**
 * Where a store's new keys go, which this run holds and which are nowhere else. A reservation has nothing
 * in it, whoever made it; what else has meanwhile taken the Secret's name may be the keys of another store.
 */
export function placeForKeys({ phase }: SecretPhase): "there" | "beside" {
  switch (phase) {
    case "absent":
    case "empty":
    case "reserved":
      return "there";
    case "initialised":
    case "foreign":
      return "beside";
  }
}
