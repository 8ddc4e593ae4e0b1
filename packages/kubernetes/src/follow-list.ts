import { pause } from "@svc/logging";
import type { KubernetesApi } from "./connect-api.ts";
import { KubernetesError } from "./kubernetes-error.ts";
import { listPages } from "./list-objects.ts";
import { METADATA_LIST, parseMetadataList } from "./metadata-list.ts";
import { readMetadata } from "./read-metadata.ts";

/** Which objects are followed. */
export interface FollowOptions {
  /** The path of the list, without a query: `/apis/svc.internal/v1alpha1/svcconfigs`. */
  readonly path: string;
  /** `metadata.name=NAME`; by default all objects. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Objects of one answer to a list; by default 500. An answer has 32 MiB at most. */
  readonly page?: number;
  /**
   * Between two answers to a list, in milliseconds: the longer it is, the less memory is used at a
   * time. By default none.
   */
  readonly pagePauseMs?: number;
  /** For messages: `watch SvcConfigs`. */
  readonly operation: string;
  /** Asks for metadata alone: of a list are read name, namespace, uid, labels and annotations. */
  readonly metadataOnly?: true;
  /**
   * For large lists. After a failed watch it goes on from the last version. It lists again only if
   * the server has forgotten that, or if the watch fails again and again.
   */
  readonly goesOn?: true;
  /** A list or watch that failed; it is tried again. */
  readonly onFailure?: (error: unknown) => void;
  /**
   * The first pause before it is tried again, in milliseconds; it doubles up to 40 times as much.
   */
  readonly pauseMs?: number;
}

/** The receiver of the objects. */
export interface ObjectSink {
  /** A list begins; the old state is valid until it has ended. */
  readonly begin: () => void;
  readonly add: (objects: readonly unknown[]) => void;
  /** The list has ended: nothing else is there. */
  readonly end: () => void;
  /** @returns false if the objects have to be listed again */
  readonly apply: (type: string, object: unknown) => boolean;
}

/** A list that is followed. */
export interface Follower {
  /** False until the first list has come. */
  readonly isSynced: () => boolean;
  /**
   * When the API server was last heard of it, of `performance.now()`; undefined before the first
   * list.
   */
  readonly heardMs: () => number | undefined;
  /** Ends it; resolved when nothing is under way any more. */
  readonly stop: () => Promise<void>;
}

/** A watch is ended by the server after this; bookmarks come every minute. */
const WATCH_SECONDS = 240;
const PAUSE_MS = 800;
/**
 * The most failed watches in a row, before it lists again although the server does not require it.
 */
const MOST_FAILURES = 3;
/** Events come one by one, and are small. */
const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
/**
 * Events that came together are taken in for so long at a time: the same process answers others.
 */
const LONGEST_MS = 4;

/**
 * Follows the objects of a list: lists them, watches from there, and lists again when the server
 * has forgotten that state (410), as client-go's reflector does.
 */
export function followList(api: KubernetesApi, options: FollowOptions, sink: ObjectSink): Follower {
  const end = new AbortController();
  let heardMs: number | undefined;
  const heard = () => {
    heardMs = performance.now();
  };
  const running = run({ api, options, sink, heard, signal: end.signal, version: undefined });
  return {
    isSynced: () => heardMs !== undefined,
    heardMs: () => heardMs,
    stop: () => {
      end.abort();
      return running;
    },
  };
}

interface Running {
  readonly api: KubernetesApi;
  readonly options: FollowOptions;
  readonly sink: ObjectSink;
  readonly heard: () => void;
  readonly signal: AbortSignal;
  /** To go on from; undefined if it has to be listed. */
  version: string | undefined;
}

async function run(running: Running): Promise<void> {
  const { options, signal } = running;
  const { pauseMs = PAUSE_MS } = options;
  let failures = 0;
  while (!signal.aborted) {
    const beganMs = performance.now();
    try {
      if (running.version === undefined) await list(running);
      await watch(running);
      // A watch that ends at once, again and again, must not become a flood of requests.
      failures = performance.now() - beganMs < pauseMs ? failures + 1 : 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (isLost(error, failures, options)) running.version = undefined;
      options.onFailure?.(error);
    }
    if (failures > 0) await pauseAbout(pauseMs * Math.min(2 ** (failures - 1), 40), signal);
  }
}

/**
 * The events since the last one are not known: it may be that the server has forgotten our place.
 */
function isLost(error: unknown, failures: number, { goesOn }: FollowOptions): boolean {
  const isForgotten = error instanceof KubernetesError && error.status === 410;
  return goesOn !== true || isForgotten || failures >= MOST_FAILURES;
}

async function list(running: Running): Promise<void> {
  const { api, options, sink, heard, signal } = running;
  const { path, operation, page, pagePauseMs, metadataOnly } = options;
  const form = metadataOnly ? { accept: METADATA_LIST, parse: parseMetadataList } : {};
  const query = selectors(options);
  const request = {
    path,
    query,
    operation,
    signal,
    ...form,
    ...(page !== undefined && { page }),
  };
  let version = "";
  sink.begin();
  for await (const { items, resourceVersion } of listPages(api, request)) {
    sink.add(items);
    version = resourceVersion;
    if (pagePauseMs !== undefined) await Bun.sleep(pagePauseMs);
  }
  sink.end();
  heard();
  running.version = version;
}

async function watch(running: Running): Promise<void> {
  const { api, options, sink, heard, signal } = running;
  const { path, operation, metadataOnly } = options;
  const query = new URLSearchParams({
    watch: "1",
    allowWatchBookmarks: "true",
    resourceVersion: running.version ?? "",
    timeoutSeconds: String(WATCH_SECONDS),
    ...selectors(options),
  });
  // A connection that died without a word is given up a little later than the server would end it.
  const late = AbortSignal.timeout((WATCH_SECONDS + 30) * 1000);
  const events = api.watch({
    path: `${path}?${query}`,
    ...{ operation, signal: AbortSignal.any([signal, late]) },
    ...(metadataOnly && { accept: METADATA }),
  });
  const breathe = breather();
  for await (const { type, object } of events) {
    heard();
    if (type === "ERROR") {
      const { code, reason } = Object(object);
      running.version = code === 410 ? undefined : running.version;
      if (code === 410) return;
      const found = `${operation}: the server ended it with ${String(code)} ${String(reason)}`;
      throw new KubernetesError("KUBERNETES_UNREACHABLE", found);
    }
    running.version = readMetadata(object)?.resourceVersion ?? running.version;
    // Omitted objects may have room now.
    if (type !== "BOOKMARK" && !sink.apply(type, object)) {
      running.version = undefined;
      return;
    }
    await breathe();
  }
}

function selectors({ fieldSelector, labelSelector }: FollowOptions) {
  return {
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
}

/**
 * Lets others have their turn if this has gone on for long; events that come one by one cost
 * nothing.
 */
function breather(): () => Promise<void> | undefined {
  let sinceMs = performance.now();
  let isRested = true;
  return () => {
    const nowMs = performance.now();
    if (isRested) {
      isRested = false;
      sinceMs = nowMs;
      setImmediate(() => {
        isRested = true;
      });
    }
    return nowMs - sinceMs < LONGEST_MS ? undefined : Bun.sleep(0);
  };
}

/** Between half of it and the whole: many who were cut off at once do not come back at once. */
function pauseAbout(mostMs: number, signal: AbortSignal): Promise<void> {
  return pause(mostMs * (0.5 + Math.random() / 2), signal);
}
