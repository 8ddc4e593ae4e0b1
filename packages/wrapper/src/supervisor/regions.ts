import {
  createPlainMemory,
  createSecretMemory,
  type SecretMemory,
  UnsupportedFeatureError,
} from "@svc/kernel";

/** The descriptors that the supervisor owns: it hands them to couriers and never reads them. */
export interface Regions {
  readonly token: SecretMemory;
  readonly secrets: SecretMemory;
  /** Why the kernel's protection is missing, where it is. */
  readonly degraded?: UnsupportedFeatureError;
}

/** Makes both regions, in ordinary memory where the kernel has no memfd_secret. */
export function openRegions(): Regions {
  try {
    return { token: createSecretMemory(), secrets: createSecretMemory() };
  } catch (error) {
    if (!(error instanceof UnsupportedFeatureError)) throw error;
    const token = createPlainMemory("svc-token");
    return { token, secrets: createPlainMemory("svc-secrets"), degraded: error };
  }
}
