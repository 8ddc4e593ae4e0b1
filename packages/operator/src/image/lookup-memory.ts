import type { TokenCache } from "./access-token.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { ConfigCache } from "./read-image.ts";

/** The shared knowledge of the lookups of one process. */
export interface LookupMemory {
  readonly configs: ConfigCache;
  readonly tokens: TokenCache;
  readonly breaker: CircuitBreaker;
}

const MIB = 1024 * 1024;

/** An empty memory, bounded: some 10 MiB when it is full. */
export function lookupMemory(): LookupMemory {
  return {
    configs: new BoundedCache({ entries: 5000, bytes: 8 * MIB }),
    tokens: new BoundedCache({ entries: 500, bytes: 2 * MIB }),
    breaker: new CircuitBreaker(),
  };
}
