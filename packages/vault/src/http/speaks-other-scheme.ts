import { type Transport, TransportError } from "./transport.ts";

/** Long enough for a handshake on a slow day; the failure is reported anyway. */
const PROBE_TIMEOUT_MS = 1000;
const PROBE_BYTES = 65_536;

/**
 * Whether the server answers when it is spoken to with the other scheme.
 * Asks for the public health path without any credential; nothing of the answer is used.
 */
export async function speaksOtherScheme(url: string, transport: Transport): Promise<boolean> {
  const { protocol, hostname, port } = new URL(url);
  const other =
    protocol === "https:"
      ? `http://${hostname}:${port || "443"}/v1/sys/health`
      : `https://${hostname}:${port || "80"}/v1/sys/health`;
  try {
    const { status } = await transport({
      method: "GET",
      url: other,
      headers: [],
      tls: { skipVerify: true },
      maxBytes: PROBE_BYTES,
      ownConnection: true,
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    // Go's TLS listener answers plain HTTP too, with a 400 that says so.
    return status !== 400;
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return error.answered;
  }
}
