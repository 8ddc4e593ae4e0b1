/** Bytes as PEM (RFC 7468). */
export function pemOf(label: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

/** The certificates in a text, each as a separate PEM; text around them counts for nothing. */
export function certificateBlocks(text: string): readonly string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block}\n`);
}
