import type { Initialised, Secret, VaultAdministration, VaultClientOptions } from "@svc/vault";
import { createVaultAdministration } from "@svc/vault";

/** The administration of a server of the tests; gives up soon. */
export function administer(
  address: string,
  options: Partial<VaultClientOptions> = {},
): VaultAdministration {
  const retry = { deadlineMs: 10_000, maxDelayMs: 100 };
  return createVaultAdministration({ address, tls: { skipVerify: false }, retry, ...options });
}

/** The text of a secret. */
export function textOf(secret: Secret): string {
  const bytes = new Uint8Array(secret.byteLength);
  secret.writeTo(bytes);
  return new TextDecoder().decode(bytes);
}

/** Every form in which an initialisation's outcome must not turn up. */
export function formsOf({ shares, rootToken }: Initialised): readonly string[] {
  const texts = shares.map(textOf);
  const hex = texts.map((text) => Buffer.from(text, "base64").toString("hex"));
  return [...texts, ...hex, textOf(rootToken)];
}
