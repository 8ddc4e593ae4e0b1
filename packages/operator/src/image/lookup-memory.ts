import type { TokenCache } from "./access-token.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { FoundImage } from "./found-image.ts";

/** The shared knowledge of the lookups of one process. */
export interface LookupMemory {
  /**
   * Images by repository and digest, which name them for ever; those of an index by the platforms,
   * too.
   */
  readonly images: BoundedCache<FoundImage>;
  readonly tokens: TokenCache;
  readonly breaker: CircuitBreaker;
  readonly shared: SharedImages | undefined;
}

/** The images that the replicas know, by the same keys. */
export interface SharedImages {
  /** The image of the first key that is known. Never rejects: a failure is an unknown image. */
  readonly find: (keys: readonly string[]) => Promise<SharedImage | undefined>;
  /** Tells the others, some time later, and without a promise. */
  readonly add: (key: string, image: FoundImage) => void;
}

/** A known image, and its key. */
export interface SharedImage {
  readonly key: string;
  readonly image: FoundImage;
}

const MIB = 1024 * 1024;

/** An empty memory, bounded: some 10 MiB when it is full. */
export function lookupMemory(shared?: SharedImages): LookupMemory {
  return {
    images: new BoundedCache({ entries: 5000, bytes: 8 * MIB }),
    tokens: new BoundedCache({ entries: 500, bytes: 2 * MIB }),
    breaker: new CircuitBreaker(),
    shared,
  };
}
