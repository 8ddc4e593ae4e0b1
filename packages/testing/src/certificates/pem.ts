/** Binary data as text between labelled lines (RFC 7468). */
export function pem(label: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
