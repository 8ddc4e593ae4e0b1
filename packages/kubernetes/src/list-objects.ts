import type { KubernetesApi } from "./connect-api.ts";
import { KubernetesError } from "./kubernetes-error.ts";

/** Which objects. */
export interface ListRequest {
  /** Without a query. */
  readonly path: string;
  /** Selectors and the like. */
  readonly query?: Readonly<Record<string, string>>;
  readonly operation: string;
  readonly accept?: string;
  /** The format of an answer; JSON by default. */
  readonly parse?: (bytes: Uint8Array) => unknown;
  readonly signal?: AbortSignal;
  /** Objects of one answer; by default 500. */
  readonly page?: number;
}

/** A whole list. */
export interface ListedObjects {
  readonly items: readonly unknown[];
  /** To watch from. */
  readonly resourceVersion: string;
}

/**
 * All objects of a list, page by page, kept until the last one has come.
 * @throws KubernetesError
 */
export async function listObjects(
  api: KubernetesApi,
  request: ListRequest,
): Promise<ListedObjects> {
  const items: unknown[] = [];
  let resourceVersion = "";
  for await (const page of listPages(api, request)) {
    items.push(...page.items);
    resourceVersion = page.resourceVersion;
  }
  return { items, resourceVersion };
}

/**
 * The pages of a list.
 * @throws KubernetesError
 */
export async function* listPages(
  api: KubernetesApi,
  { path, query = {}, page = 500, ...request }: ListRequest,
): AsyncGenerator<ListedObjects> {
  let next = "";
  do {
    const words = new URLSearchParams({ ...query, limit: String(page) });
    if (next !== "") words.set("continue", next);
    const answer = Object(await api.ask({ ...request, method: "GET", path: `${path}?${words}` }));
    const { metadata } = answer;
    // An empty list of metadata is written as null (a nil slice of Go).
    const items: unknown = answer.items === null ? [] : answer.items;
    if (!Array.isArray(items)) {
      const found = `${request.operation}: the answer is not a list`;
      throw new KubernetesError("KUBERNETES_UNREACHABLE", found);
    }
    const { resourceVersion, continue: more } = Object(metadata);
    yield { items, resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "" };
    next = typeof more === "string" ? more : "";
  } while (next !== "");
}
