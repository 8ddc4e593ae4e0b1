import { type HttpTls, sendHttp } from "svc:engine";
import {
  type FaultDetails,
  type HttpFault,
  type Transport,
  TransportError,
} from "../http/transport.ts";
import type { VaultTls } from "../tls/vault-tls.ts";

/** Requests by the host, which keeps connections alive between them. */
export const transport: Transport = async (request) => {
  const { method, url, headers, body, maxBytes, ownConnection, signal } = request;
  if (signal.aborted) throw new TransportError("aborted");
  const tls = hostTls(request.tls);
  const bare = { method, url, headers, tls, maxBytes, ownConnection };
  const exchange = sendHttp(body === undefined ? bare : { ...bare, body });
  const abort = () => exchange.abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await exchange.response;
    const { status, headers: found, body: answer } = response;
    const header = (name: string) => (Object.hasOwn(found, name) ? found[name] : undefined);
    return { status, header, body: answer };
  } catch (error) {
    throw isHostFault(error) ? new TransportError(error.fault, detailsOf(error)) : error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
};

/** The host's input: undefined members are left out. */
function hostTls({ skipVerify, ca, cert, key, serverName }: VaultTls): HttpTls {
  return {
    skipVerify,
    ...(ca && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key && { key }),
    ...(serverName !== undefined && { serverName }),
  };
}

/** The host's rejection of a request. */
interface HostFault extends Error {
  readonly fault: HttpFault;
  readonly answered: boolean;
  readonly names?: readonly string[];
}

function isHostFault(error: unknown): error is HostFault {
  return error instanceof Error && "fault" in error && "answered" in error;
}

/** The faults whose cause the host knows: from the system, name servers, or TLS. */
const explained: ReadonlySet<HttpFault> = new Set([
  "unreachable",
  "name not found",
  "bad certificate",
  "handshake",
  "unusable material",
]);

function detailsOf(error: HostFault): FaultDetails {
  const { answered, fault, message, names } = error;
  const detail = explained.has(fault) && message !== fault ? message : undefined;
  return { answered, names, detail, cause: error };
}
