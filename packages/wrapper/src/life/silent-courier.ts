import { type Failure, failure } from "../errors.ts";

/**
 * The failure of a courier that was killed, or made a mistake of ours, before it could say
 * anything.
 */
export const silentCourier: Failure = failure("COURIER_ENDED", "the courier ended without a word");
