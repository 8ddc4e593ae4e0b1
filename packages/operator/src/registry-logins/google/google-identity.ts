import type { EnvironmentReading } from "../environment-reading.ts";

/** The operator's identity at Google. */
export type GoogleIdentity =
  | { readonly kind: "metadata"; readonly server: URL }
  | { readonly kind: "file"; readonly path: string };

/** The variables of Google's libraries that are read, and their purpose. */
export const googleVariables = {
  GOOGLE_APPLICATION_CREDENTIALS:
    "A file with credentials: `external_account` (Workload Identity Federation) or `service_account`.",
  GCE_METADATA_HOST: "HOST or HOST:PORT of another metadata server.",
} as const;

/**
 * Reads the identity: the file if one is named, else that of the metadata server, which GKE has
 * for each pod.
 */
export function readGoogleIdentity(reading: EnvironmentReading): GoogleIdentity {
  const path = reading.text("GOOGLE_APPLICATION_CREDENTIALS");
  if (path !== undefined) return { kind: "file", path };
  const host = reading.text("GCE_METADATA_HOST") ?? "169.254.169.254";
  const server = URL.parse(`http://${host}/`);
  if (server === null || server.pathname !== "/" || server.username !== "") {
    reading.refuse("GCE_METADATA_HOST", "HOST or HOST:PORT", host);
  }
  return { kind: "metadata", server: server ?? new URL("http://169.254.169.254/") };
}
