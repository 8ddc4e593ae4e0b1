import type { Initialised, VaultAdministration, VaultClientOptions } from "@svc/vault";
import { createVaultAdministration, Secret } from "@svc/vault";

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

/**
 * A share that belongs to no store. Its last byte is the point at which the secret's polynomial is
 * taken. It differs from the points of the other shares: the server would call equal points
 * duplicates, another error.
 */
export function wrongShare(shares: readonly Secret[]): Secret {
  const points = shares.map((share) => Buffer.from(textOf(share), "base64").at(-1));
  const bytes = Buffer.alloc(33, 9);
  while (points.includes(bytes.at(-1))) bytes[32] = (bytes[32] ?? 0) + 1;
  return new Secret(bytes.toString("base64"));
}
