import {
  createPlainMemory,
  createSecretMemory,
  type SecretMemory,
  type SecretMemoryKind,
  UnsupportedFeatureError,
} from "@svc/kernel";

/** Makes regions: the supervisor owns their descriptors, hands them to couriers and never reads them. */
export interface MemoryMaker {
  readonly kind: SecretMemoryKind;
  /** Why the kernel's protection is missing, where it is. */
  readonly degraded?: UnsupportedFeatureError;
  /** An empty region. */
  readonly make: () => SecretMemory;
}

/** Finds out once what the kernel has; ordinary memory where it has no memfd_secret. */
export function memoryMaker(): MemoryMaker {
  try {
    let first: SecretMemory | undefined = createSecretMemory();
    const make = () => {
      const made = first ?? createSecretMemory();
      first = undefined;
      return made;
    };
    return { kind: "memfd_secret", make };
  } catch (error) {
    if (!(error instanceof UnsupportedFeatureError)) throw error;
    return { kind: "memfd", degraded: error, make: () => createPlainMemory("svc-secrets") };
  }
}
