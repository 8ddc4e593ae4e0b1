import { signalName } from "@svc/settings";
import { type Failure, failure } from "../errors.ts";

/**
 * The failure of a courier that was killed, or made a mistake of ours, before it could say
 * anything.
 *
 * @param signal the one that ended it.
 */
export function silentCourier(signal?: number): Failure {
  const why = signal === undefined ? "ended without a word" : `was ended by ${signalName(signal)}`;
  return failure("COURIER_ENDED", `the courier ${why}`);
}

/** The failure of a courier that the supervisor has ended, because it did not answer in time. */
export function lateCourier(timeoutMs: number): Failure {
  return failure("COURIER_ENDED", `the courier did not answer in ${timeoutMs} ms, and was ended`);
}
