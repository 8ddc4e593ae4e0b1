import type { KubernetesApi } from "./connect-api.ts";
import { type Follower, type FollowOptions, followList } from "./follow-list.ts";
import { type NamespaceBounds, ObjectStore } from "./object-store.ts";

/** The objects to keep, and the listener for them. */
export interface ObjectWatchOptions<T> extends FollowOptions {
  /** The kept part of an object; undefined if the object is not kept. */
  readonly parse: (object: unknown) => T | undefined;
  /** The memory limit of one namespace; none by default. */
  readonly bounds?: NamespaceBounds<T>;
  /** After something changed, once for a list. */
  readonly onChange?: () => void;
}

/** The objects of a kind as the API server had them last. */
export interface ObjectWatch<T> extends Follower {
  readonly all: () => readonly T[];
  readonly inNamespace: (namespace: string) => readonly T[];
  readonly get: (namespace: string, name: string) => T | undefined;
}

/** Keeps the objects of a list up to date. While the server is away it keeps the last state. */
export function watchObjects<T>(
  api: KubernetesApi,
  options: ObjectWatchOptions<T>,
): ObjectWatch<T> {
  const store = new ObjectStore<T>(options);
  let listed: unknown[] = [];
  const follower = followList(api, options, {
    begin: () => {
      listed = [];
    },
    add: (objects) => {
      listed.push(...objects);
    },
    end: () => {
      store.replaceAll(listed);
      listed = [];
      options.onChange?.();
    },
    apply: (type, object) => {
      const isWhole = store.apply(type, object);
      options.onChange?.();
      return isWhole;
    },
  });
  return {
    ...follower,
    all: () => store.all(),
    inNamespace: (namespace) => store.inNamespace(namespace),
    get: (namespace, name) => store.get(namespace, name),
  };
}
