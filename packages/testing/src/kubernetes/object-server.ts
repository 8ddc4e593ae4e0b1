import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";

/** An object of Kubernetes, as a test writes it. */
export type ServedObject = Readonly<Record<string, unknown>>;

/** A request that came, without its headers. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Answers in the place of the server; undefined lets the server answer. */
export type Intercept = (request: ServedRequest) => Response | Promise<Response> | undefined;

/** A server that plays the API server's part: it keeps objects in memory, and knows no kinds. */
export interface ObjectServer extends AsyncDisposable {
  readonly address: string;
  /** The path of a kubeconfig that names the server. */
  readonly kubeconfig: string;
  /** Every request, the oldest first. */
  readonly requests: ServedRequest[];
  /** Answers before the server does: a fault, or a path that is not an object's. */
  intercept: Intercept;
  /** An object by its path; undefined without one. */
  readonly get: (path: string) => ServedObject | undefined;
  /** Writes an object, with a uid and a new version. */
  readonly put: (path: string, object: ServedObject) => void;
  /** Removes an object, or all of them. */
  readonly remove: (path?: string) => void;
}

/**
 * Starts one on loopback, for tests that need the API server's answers and its faults, and no
 * etcd. It lists by labels that are equal, creates, replaces by version, deletes by uid, and keeps
 * nothing of a dry run. Stories in e2e/ have the real one.
 */
export function startObjectServer(): ObjectServer {
  const objects = new Map<string, ServedObject>();
  const requests: ServedRequest[] = [];
  let versions = 0;
  const versioned = (object: ServedObject, uid: unknown): ServedObject => ({
    ...object,
    metadata: { ...Object(object["metadata"]), uid, resourceVersion: String(++versions) },
  });
  const put = (path: string, object: ServedObject) => {
    const { uid = crypto.randomUUID() } = Object(object["metadata"]);
    objects.set(path, versioned(object, uid));
  };
  const write = (path: string, { body, query }: ServedRequest, status: number): Response => {
    const { uid = crypto.randomUUID() } = Object(objects.get(path)?.["metadata"]);
    const written = versioned(Object(body), uid);
    if (query["dryRun"] !== "All") objects.set(path, written);
    return Response.json(written, { status });
  };
  const inCollection = (request: ServedRequest): Response => {
    const { method, path, query, body } = request;
    if (method === "GET") return Response.json(listOf(objects, path, query));
    const created = `${path}/${String(Object(Object(body).metadata).name)}`;
    if (objects.has(created)) return refusal(409, "AlreadyExists", `${created} exists`);
    return write(created, request, 201);
  };
  const ofObject = (request: ServedRequest): Response => {
    const { method, path, body } = request;
    const found = objects.get(path);
    if (found === undefined) return refusal(404, "NotFound", `${path} not found`);
    if (method === "GET") return Response.json(found);
    const wanted = method === "PUT" ? Object(body).metadata : Object(body).preconditions;
    if (!isSame(Object(wanted), Object(found["metadata"]))) {
      return refusal(409, "Conflict", `${path} has been modified`);
    }
    if (method === "PUT") return write(path, request, 200);
    objects.delete(path);
    return Response.json({ kind: "Status", status: "Success" });
  };
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: async (request) => {
      const served = await parseRequest(request);
      requests.push(served);
      const answer = isCollection(served.path) ? inCollection : ofObject;
      return (await started.intercept(served)) ?? answer(served);
    },
  });
  const address = server.url.origin;
  const kubeconfig = kubeconfigFile(address);
  const started: ObjectServer = {
    ...{ address, kubeconfig: kubeconfig.path, requests, put, intercept: () => undefined },
    get: (path) => objects.get(path),
    remove: (path) => void (path === undefined ? objects.clear() : objects.delete(path)),
    [Symbol.asyncDispose]: async () => {
      await server.stop(true);
      kubeconfig[Symbol.dispose]();
    },
  };
  return started;
}

async function parseRequest(request: Request): Promise<ServedRequest> {
  const { pathname: path, searchParams } = new URL(request.url);
  const text = await request.text();
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { method: request.method, path, query: Object.fromEntries(searchParams), body };
}

function kubeconfigFile(address: string): Disposable & { readonly path: string } {
  const folder = temporaryFolder();
  const path = join(folder.path, "kubeconfig");
  writeFileSync(path, plainKubeconfig(address));
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** The text of a kubeconfig for a server without TLS. @param context may name a namespace */
export function plainKubeconfig(address: string, context: object = {}): string {
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "test" },
    clusters: [{ name: "test", cluster: { server: address, "insecure-skip-tls-verify": true } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test", ...context } }],
    users: [{ name: "test", user: { token: "t" } }],
  });
}

/** An error as the API server writes it. */
export function refusal(code: number, reason: string, message: string): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code };
  return Response.json(status, { status: code });
}

/** True for `…/namespaces/NAMESPACE/KIND` and `…/KIND`, with no name behind. */
function isCollection(path: string): boolean {
  const parts = path.replace(/^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\//, "").split("/");
  return parts.length === (parts[0] === "namespaces" && parts.length > 2 ? 3 : 1);
}

function listOf(
  objects: ReadonlyMap<string, ServedObject>,
  path: string,
  query: ServedRequest["query"],
): object {
  const wanted = (query["labelSelector"] ?? "").split(",").filter((pair) => pair !== "");
  const items = [...objects].flatMap(([name, object]) => {
    if (name.slice(0, name.lastIndexOf("/")) !== path) return [];
    const { labels } = Object(object["metadata"]);
    const isWanted = wanted.every((pair) => {
      const [key = "", value] = pair.split("=");
      return Object(labels)[key] === value;
    });
    return isWanted ? [object] : [];
  });
  return { kind: "List", apiVersion: "v1", metadata: { resourceVersion: "1" }, items };
}

/** Fields that a request does not name are not compared. */
function isSame(
  wanted: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): boolean {
  return ["uid", "resourceVersion"].every(
    (field) => wanted[field] === undefined || wanted[field] === found[field],
  );
}
