import type { ClusterAccess } from "./cluster-access.ts";
import { loadClient, loginOf } from "./load-client.ts";
import { podLogin, podServer } from "./pod-account.ts";
import { readBounded } from "./read-bounded.ts";
import { type Asked, errorOf, readRefusal } from "./refusal.ts";
import { type ApiLogin, sendRequest, unreachable } from "./send-request.ts";
import { type WatchEvent, watchEvents } from "./watch-events.ts";

/** A request for one JSON document. */
export interface ApiRequest extends Asked {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query: `/api/v1/namespaces/shop/secrets/registry`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The kind of PATCH; `merge` by default. */
  readonly patch?: keyof typeof patchTypes;
  /** By default `application/json`: lists can be asked for as metadata only. */
  readonly accept?: string;
  /** The format of the answer; JSON by default. It throws if it cannot. */
  readonly parse?: (bytes: Uint8Array) => unknown;
  readonly signal?: AbortSignal;
  /** From the connection to the last byte; by default 15 seconds. */
  readonly timeoutMs?: number;
}

/** A request for all changes from now on. */
export interface WatchRequest extends Asked {
  /** With its query, `watch=1` in it. */
  readonly path: string;
  /** By default `application/json`. */
  readonly accept?: string;
  readonly signal: AbortSignal;
}

/** The API server, as the user of a kubeconfig or the account of a pod. */
export interface KubernetesApi {
  /** Its URL. */
  readonly address: string;
  /** The namespace of the kubeconfig's context; undefined if it names none. */
  readonly namespace: string | undefined;
  /**
   * The parsed document of the answer.
   * @throws KubernetesError
   */
  readonly ask: (request: ApiRequest) => Promise<unknown>;
  /**
   * The events of a watch until the server ends it, or the signal.
   * @throws KubernetesError
   */
  readonly watch: (request: WatchRequest) => AsyncIterable<WatchEvent>;
}

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const TIMEOUT_MS = 15_000;
/** A page of a list has some megabytes. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Makes a client of the API server; nothing is sent yet. With a kubeconfig it has the client
 * library's, and not its API classes: those cost 27 MB of memory (docs/decisions/0017). In a pod it
 * needs no library.
 *
 * @throws KubernetesError `KUBECONFIG_UNUSABLE`
 */
export async function connectApi(access: ClusterAccess): Promise<KubernetesApi> {
  const { namespace, ...connection } = await connectionOf(access);
  return {
    ...{ address: connection.address, namespace },
    ask: (request) => ask(connection, request),
    watch: (request) => watch(connection, request),
  };
}

interface ApiConnection {
  readonly login: ApiLogin;
  readonly address: string;
}

async function connectionOf(
  access: ClusterAccess,
): Promise<ApiConnection & Pick<KubernetesApi, "namespace">> {
  if (access.kind === "pod") {
    return { login: podLogin(access), address: podServer(access), namespace: undefined };
  }
  const kubeConfig = await loadClient(access);
  const { namespace } = kubeConfig.getContextObject(kubeConfig.getCurrentContext()) ?? {};
  return {
    login: loginOf(kubeConfig),
    address: (kubeConfig.getCurrentCluster()?.server ?? "").replace(/\/+$/, ""),
    namespace,
  };
}

async function ask({ login, address }: ApiConnection, request: ApiRequest): Promise<unknown> {
  const { method, path, body, patch = "merge", timeoutMs = TIMEOUT_MS } = request;
  const url = `${address}${path}`;
  const time = AbortSignal.timeout(timeoutMs);
  const signal = request.signal === undefined ? time : AbortSignal.any([time, request.signal]);
  const type = method === "PATCH" ? patchTypes[patch] : "application/json";
  const response = await sendRequest(login, {
    ...{ url, method, signal },
    headers: {
      Accept: request.accept ?? "application/json",
      ...(body !== undefined && { "Content-Type": type }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const bytes = await bytesOf(response, url);
  if (!response.ok) throw errorOf(readRefusal(response.status, bytes.toString("utf8")), request);
  const { parse = parseJson } = request;
  try {
    return parse(bytes);
  } catch {
    const wanted = request.parse === undefined ? "JSON" : (request.accept ?? "");
    throw unreachable(url, new TypeError(`its answer is not ${wanted}`));
  }
}

function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
}

async function bytesOf(response: Response, url: string): Promise<Buffer> {
  try {
    return await readBounded(response, MOST_BYTES);
  } catch (error) {
    throw unreachable(url, error);
  }
}

async function* watch(
  { login, address }: ApiConnection,
  { path, signal, accept = "application/json", ...asked }: WatchRequest,
): AsyncGenerator<WatchEvent> {
  const url = `${address}${path}`;
  const headers = { Accept: accept };
  const response = await sendRequest(login, { url, method: "GET", headers, signal });
  if (!response.ok) {
    const text = (await bytesOf(response, url)).toString("utf8");
    throw errorOf(readRefusal(response.status, text), asked);
  }
  try {
    yield* watchEvents(response);
  } catch (error) {
    throw unreachable(url, error);
  }
}
