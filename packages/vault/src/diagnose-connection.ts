import type { Fetch } from "./client-options.ts";
import { fetchTls, type VaultTls } from "./vault-tls.ts";

/** Long enough for a handshake on a slow day; the failure is reported anyway. */
const PROBE_TIMEOUT_MS = 1000;

/**
 * Whether the server answers when it is spoken to with the other scheme.
 * Asks for the public health path without any credential; nothing of the answer is used.
 */
export async function speaksOtherScheme(url: string, fetch: Fetch): Promise<boolean> {
  const { protocol, hostname, port } = new URL(url);
  const other =
    protocol === "https:"
      ? `http://${hostname}:${port || "443"}/v1/sys/health`
      : `https://${hostname}:${port || "80"}/v1/sys/health`;
  try {
    const response = await fetch(other, {
      ...probeOptions(),
      tls: { rejectUnauthorized: false },
    });
    await response.body?.cancel();
    // Go's TLS listener answers plain HTTP too, with a 400 that says so.
    return response.status !== 400;
  } catch {
    return false;
  }
}

/** The names in the server's certificate, after a handshake that ends before anything is sent. */
export async function certificateNames(
  url: string,
  tls: VaultTls,
  fetch: Fetch,
): Promise<string | undefined> {
  let names: string | undefined;
  const checkServerIdentity = (
    _host: string,
    certificate: { readonly subjectaltname?: string },
  ) => {
    names = certificate.subjectaltname;
    return new Error("only the names were wanted");
  };
  try {
    const response = await fetch(new URL("/v1/sys/health", url).href, {
      ...probeOptions(),
      tls: { ...fetchTls(tls), checkServerIdentity },
    });
    await response.body?.cancel();
  } catch {
    // The refusal above always ends here.
  }
  return names;
}

function probeOptions(): BunFetchRequestInit {
  return { redirect: "manual", keepalive: false, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) };
}
