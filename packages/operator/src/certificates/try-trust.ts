import { connect } from "node:tls";

/** Whether a client that trusts a bundle would accept a certificate. */
export type Trust =
  | { readonly kind: "trusted" }
  | { readonly kind: "refused"; readonly why: string }
  /** The server did not answer in time, or not at all. */
  | { readonly kind: "unknown"; readonly why: string };

/** A client of this replica's webhook. */
export interface TrustingClient {
  readonly host: string;
  readonly port: number;
  /** The name by which API servers call. */
  readonly servername: string;
  /** PEM. */
  readonly bundle: string;
}

const TIMEOUT_MS = 5000;
/** Errors of the connection itself (errno(3)) say nothing about a certificate. */
const ofConnection = /^E(?:CONN|TIMEDOUT|PIPE|ADDR|HOST|NET|MFILE|NFILE)/;

/** Connects as an API server does, with TLS, and ends the connection. Never rejects. */
export function tryTrust({ bundle, ...place }: TrustingClient): Promise<Trust> {
  const { promise, resolve } = Promise.withResolvers<Trust>();
  const socket = connect({ ...place, ca: bundle, rejectUnauthorized: true });
  const timer = setTimeout(
    () => resolve({ kind: "unknown", why: "it did not answer in time" }),
    TIMEOUT_MS,
  );
  socket.once("secureConnect", () => resolve({ kind: "trusted" }));
  socket.once("error", (error: Error & { readonly code?: unknown }) => {
    const kind = ofConnection.test(String(error.code)) ? "unknown" : "refused";
    resolve({ kind, why: error.message });
  });
  socket.once("close", () => resolve({ kind: "unknown", why: "it closed the connection" }));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
