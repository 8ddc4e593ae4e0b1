import type { KubernetesApi } from "./connect-api.ts";
import { KubernetesError } from "./kubernetes-error.ts";
import { listObjects } from "./list-objects.ts";
import { readMetadata } from "./read-metadata.ts";

/** Which objects are kept, and who is told of them. */
export interface ObjectWatchOptions<T> {
  /** Of the list, without a query: `/apis/svc.internal/v1alpha1/svcconfigs`. */
  readonly path: string;
  /** `metadata.name=NAME`; all objects unless told. */
  readonly fieldSelector?: string;
  /** Objects of one answer to a list; 500 unless told. An answer has 32 MiB at most. */
  readonly page?: number;
  /** For messages: `watch SvcConfigs`. */
  readonly operation: string;
  /** What is kept of an object; undefined for one that is not to be kept. */
  readonly parse: (object: unknown) => T | undefined;
  /** After something changed, once for a list. */
  readonly onChange?: () => void;
  /** A list or watch that failed; it is tried again. */
  readonly onFailure?: (error: unknown) => void;
  /** The first pause before it is tried again, in milliseconds; it doubles up to 40 times as much. */
  readonly pauseMs?: number;
}

/** The objects of a kind as the API server had them last. */
export interface ObjectWatch<T> {
  /** False until the first list has come. */
  readonly isSynced: () => boolean;
  /** When the API server was last heard of it, of `performance.now()`; undefined before the first list. */
  readonly heardMs: () => number | undefined;
  readonly all: () => readonly T[];
  readonly inNamespace: (namespace: string) => readonly T[];
  readonly get: (namespace: string, name: string) => T | undefined;
  /** Ends it; resolved when nothing is under way any more. */
  readonly stop: () => Promise<void>;
}

/** A watch is ended by the server after this; bookmarks come every minute. */
const WATCH_SECONDS = 240;
const PAUSE_MS = 800;

/**
 * Keeps the objects of a list up to date: lists them, watches from there, and lists again when the server has forgotten
 * that state (410), as client-go's reflector does. While the server is away it keeps what it has.
 */
export function watchObjects<T>(
  api: KubernetesApi,
  options: ObjectWatchOptions<T>,
): ObjectWatch<T> {
  const store = new ObjectStore<T>(options.parse);
  const end = new AbortController();
  let heardMs: number | undefined;
  const heard = () => {
    heardMs = performance.now();
  };
  const running = run({ api, options, store, heard, signal: end.signal });
  return {
    isSynced: () => heardMs !== undefined,
    heardMs: () => heardMs,
    all: () => store.all(),
    inNamespace: (namespace) => store.inNamespace(namespace),
    get: (namespace, name) => store.get(namespace, name),
    stop: () => {
      end.abort();
      return running;
    },
  };
}

interface Running<T> {
  readonly api: KubernetesApi;
  readonly options: ObjectWatchOptions<T>;
  readonly store: ObjectStore<T>;
  readonly heard: () => void;
  readonly signal: AbortSignal;
}

async function run<T>(running: Running<T>): Promise<void> {
  const { options, signal } = running;
  const { pauseMs = PAUSE_MS } = options;
  let failures = 0;
  let version: string | undefined;
  while (!signal.aborted) {
    const beganMs = performance.now();
    try {
      version ??= await list(running);
      version = await watchFrom(running, version);
      // A watch that ends at once, again and again, must not become a flood of requests.
      failures = performance.now() - beganMs < pauseMs ? failures + 1 : 0;
    } catch (error) {
      if (signal.aborted) return;
      // What happened since the last event is not known: it may be that the server has forgotten where we were.
      version = undefined;
      failures += 1;
      options.onFailure?.(error);
    }
    if (failures > 0) await pause(pauseMs * Math.min(2 ** (failures - 1), 40), signal);
  }
}

async function list<T>({ api, options, store, heard, signal }: Running<T>): Promise<string> {
  const { path, fieldSelector, operation, page } = options;
  const query = fieldSelector === undefined ? {} : { fieldSelector };
  const request = { path, query, operation, signal, ...(page !== undefined && { page }) };
  const { items, resourceVersion } = await listObjects(api, request);
  store.replaceAll(items);
  heard();
  options.onChange?.();
  return resourceVersion;
}

/** The version to go on from; undefined where it has to be listed again. */
async function watchFrom<T>(
  { api, options, store, heard, signal }: Running<T>,
  from: string,
): Promise<string | undefined> {
  const { path, fieldSelector, operation } = options;
  const query = new URLSearchParams({
    watch: "1",
    allowWatchBookmarks: "true",
    resourceVersion: from,
    timeoutSeconds: String(WATCH_SECONDS),
    ...(fieldSelector !== undefined && { fieldSelector }),
  });
  // A connection that died without a word is given up a little later than the server would end it.
  const late = AbortSignal.timeout((WATCH_SECONDS + 30) * 1000);
  const both = AbortSignal.any([signal, late]);
  let version: string | undefined = from;
  for await (const { type, object } of api.watch({
    path: `${path}?${query}`,
    operation,
    signal: both,
  })) {
    heard();
    if (type === "ERROR") {
      const { code, reason } = Object(object);
      if (code === 410) return undefined;
      const found = `${operation}: the server ended it with ${String(code)} ${String(reason)}`;
      throw new KubernetesError("KUBERNETES_UNREACHABLE", found);
    }
    version = readMetadata(object)?.resourceVersion ?? version;
    if (type === "BOOKMARK") continue;
    store.apply(type, object);
    options.onChange?.();
  }
  return version;
}

class ObjectStore<T> {
  readonly #parse: (object: unknown) => T | undefined;
  #byNamespace = new Map<string, Map<string, T>>();

  constructor(parse: (object: unknown) => T | undefined) {
    this.#parse = parse;
  }

  all(): readonly T[] {
    return [...this.#byNamespace.values()].flatMap((objects) => [...objects.values()]);
  }

  inNamespace(namespace: string): readonly T[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }

  get(namespace: string, name: string): T | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  replaceAll(objects: readonly unknown[]): void {
    this.#byNamespace = new Map();
    for (const object of objects) this.apply("ADDED", object);
  }

  apply(type: string, object: unknown): void {
    const metadata = readMetadata(object);
    if (metadata === undefined) return;
    const { namespace, name } = metadata;
    const kept = type === "DELETED" ? undefined : this.#parse(object);
    const objects = this.#byNamespace.get(namespace) ?? new Map<string, T>();
    if (kept === undefined) objects.delete(name);
    else objects.set(name, kept);
    if (objects.size === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, objects);
  }
}

/** Between half of it and the whole: many who were cut off at once do not come back at once. */
async function pause(mostMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, mostMs * (0.5 + Math.random() / 2));
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  await promise;
  clearTimeout(timer);
  // The signal lives as long as the watch, which may pause for days.
  signal.removeEventListener("abort", end);
}
