import type { VaultTls } from "../tls/vault-tls.ts";
import { directFetch } from "./direct-fetch.ts";
import { fetchTls } from "./fetch-tls.ts";

/** Long enough for a handshake on a slow day; the failure is reported anyway. */
const PROBE_TIMEOUT_MS = 1000;

/** The names in the server's certificate, after a handshake that ends before anything is sent. */
export async function certificateNames(
  url: string,
  tls: VaultTls,
): Promise<readonly string[] | undefined> {
  let names: string | undefined;
  const checkServerIdentity = (
    _host: string,
    certificate: { readonly subjectaltname?: string },
  ) => {
    names = certificate.subjectaltname;
    return new Error("only the names were wanted");
  };
  try {
    const response = await directFetch(new URL("/v1/sys/health", url).href, {
      redirect: "manual",
      keepalive: false,
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      tls: { ...fetchTls(tls), checkServerIdentity },
    });
    await response.body?.cancel();
  } catch {
    // The refusal above always ends here.
  }
  return names?.split(", ");
}
