import { backend } from "#backend";

export type { JsonProblem, SecretBackend, SecretBytes, SecretJson } from "./secret-bytes.ts";

/** The backend of the runtime that the program was built for; `SecretBackend` documents each. */
export const { hmacSha256, readSecretDescriptor, readSecretFile, secretBytesFrom } = backend;
