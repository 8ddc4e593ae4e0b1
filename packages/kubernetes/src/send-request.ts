import type { RequestOptions } from "node:https";
import { KubernetesError } from "./kubernetes-error.ts";

/** The credentials of a user of the API server. */
export interface ApiLogin {
  /** For messages. */
  readonly user: string | undefined;
  /** For one request. Its errors may quote a log-in program's output. */
  readonly options: () => Promise<RequestOptions>;
}

/** A request to the API server, without the caller's credentials. */
export interface SentRequest {
  /** Absolute. */
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Sends a request with Bun's fetch as a user; the answer may be any status. The client's own sender
 * gives the cluster's certificates to undici, which Bun replaces by its fetch and which then knows
 * none of them.
 *
 * @throws KubernetesError `KUBERNETES_UNREACHABLE`, `KUBECONFIG_UNUSABLE`
 */
export async function sendRequest(login: ApiLogin, request: SentRequest): Promise<Response> {
  const { url, headers, ...rest } = request;
  const { ca, cert, key, servername, rejectUnauthorized, ...options } = await logIn(login);
  const init = {
    ...rest,
    headers: { ...headers, ...authorizationIn(options) },
    // A redirect would take the token along.
    redirect: "manual",
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(servername !== undefined && { serverName: servername }),
      rejectUnauthorized: rejectUnauthorized ?? true,
    },
  } as const;
  try {
    // Without `proxy: false` HTTPS_PROXY would choose who is talked to.
    return await fetch(url, Object.assign({}, init, { proxy: false, verbose: false }));
  } catch (error) {
    throw unreachable(url, error);
  }
}

/** The error for an answer that did not come, or not whole. */
export function unreachable(url: string, error: unknown): KubernetesError {
  const { origin } = new URL(url);
  const found = error instanceof Error ? error.message : "it failed";
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  const message = `ask the API server at ${origin}: ${found}${code}`;
  return new KubernetesError("KUBERNETES_UNREACHABLE", message);
}

async function logIn({ user, options }: ApiLogin): Promise<RequestOptions> {
  try {
    return await options();
  } catch {
    const message = `log in as user "${user}": its token, certificate or program cannot be used`;
    throw new KubernetesError("KUBECONFIG_UNUSABLE", message);
  }
}

function authorizationIn({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const value: unknown = Reflect.get(headers ?? {}, "Authorization");
  if (typeof value === "string") return { Authorization: value };
  if (typeof auth !== "string") return {};
  return { Authorization: `Basic ${Buffer.from(auth).toString("base64")}` };
}
