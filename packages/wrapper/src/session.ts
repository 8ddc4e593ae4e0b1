/**
 * The layout of the session region, which couriers hand on to each other and the supervisor never
 * reads: a key for digests, then the vault token to the end. The token may be missing.
 */
export const digestKeyLength = 32;
