/** The limits of one admission server. */
export interface AdmissionLimits {
  /** The most bytes of a body. */
  readonly bodyBytes: number;
  /** The most bytes of all large bodies together, by the lengths that they announce. */
  readonly allBodiesBytes: number;
  /** How long a body may take to arrive. */
  readonly bodyMs: number;
  /** Questions that are answered at one time. */
  readonly inFlight: number;
  /**
   * Requests that may wait for a place. The operator answers further ones with "retry in a second".
   */
  readonly waiting: number;
  /** How long they wait. */
  readonly waitMs: number;
  /** For a question that does not say how long the API server waits. */
  readonly budgetMs: number;
  /** How long an old listener goes on after a certificate was replaced. */
  readonly retireMs: number;
}

/** The limits unless others are given. */
export const admissionLimits: AdmissionLimits = {
  // The API server takes objects of 3 MiB (apiserver, MaxRequestBodyBytes); the rest is the review
  // around it.
  bodyBytes: 4 * 1024 * 1024,
  // More than twenty of the largest: Bun buffers the received part of a body until it is read.
  allBodiesBytes: 96 * 1024 * 1024,
  // The API server has all of it before it asks.
  bodyMs: 3000,
  inFlight: 256,
  waiting: 1024,
  waitMs: 2000,
  budgetMs: 8000,
  retireMs: 5000,
};
