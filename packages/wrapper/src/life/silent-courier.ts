import { type Failure, failure } from "../errors.ts";

/**
 * The failure of a courier that was killed, or made a mistake of ours, before it could say
 * anything.
 */
export const silentCourier: Failure = failure(
  "INTERNAL",
  "the courier ended without a word",
  "the lines before this one may say why; limits of processes or memory are the usual reason",
);
