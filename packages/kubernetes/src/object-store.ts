import { readMetadata } from "./read-metadata.ts";

/**
 * The memory limit of one namespace: a user who may create objects in one must not fill it for all.
 */
export interface NamespaceBounds<T> {
  readonly bytesOf: (object: unknown) => number;
  readonly mostBytes: number;
  /** The replacement for an omitted object; undefined for none. */
  readonly instead: (object: unknown) => T | undefined;
}

/** How objects are kept. */
export interface ObjectStoreOptions<T> {
  /** The kept part of an object; undefined if the object is not kept. */
  readonly parse: (object: unknown) => T | undefined;
  readonly bounds?: NamespaceBounds<T>;
}

interface Kept<T> {
  readonly value: T;
  readonly bytes: number;
  /** True if it replaces an omitted object. */
  readonly isLeftOut: boolean;
}

/** Objects by namespace and name. */
export class ObjectStore<T> {
  readonly #options: ObjectStoreOptions<T>;
  #byNamespace = new Map<string, Map<string, Kept<T>>>();

  constructor(options: ObjectStoreOptions<T>) {
    this.#options = options;
  }

  all(): readonly T[] {
    return [...this.#byNamespace.values()].flatMap(valuesOf);
  }

  inNamespace(namespace: string): readonly T[] {
    return valuesOf(this.#byNamespace.get(namespace) ?? new Map());
  }

  get(namespace: string, name: string): T | undefined {
    return this.#byNamespace.get(namespace)?.get(name)?.value;
  }

  replaceAll(objects: readonly unknown[]): void {
    this.#byNamespace = new Map();
    for (const object of objects) this.apply("ADDED", object);
  }

  /**
   * Takes an event in.
   * @returns false if others of the namespace are left out and there is more room than before: a
   * new list would have them
   */
  apply(type: string, object: unknown): boolean {
    const metadata = readMetadata(object);
    if (metadata === undefined) return true;
    const { namespace, name } = metadata;
    const objects = this.#byNamespace.get(namespace) ?? new Map<string, Kept<T>>();
    const before = objects.get(name);
    objects.delete(name);
    const kept = type === "DELETED" ? undefined : this.#keep(object, objects);
    if (kept !== undefined) objects.set(name, kept);
    if (objects.size === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, objects);
    const isSmaller = (kept?.bytes ?? 0) < (before?.bytes ?? 0);
    return !(isSmaller && [...objects.values()].some(({ isLeftOut }) => isLeftOut));
  }

  #keep(object: unknown, others: ReadonlyMap<string, Kept<T>>): Kept<T> | undefined {
    const { parse, bounds } = this.#options;
    if (bounds !== undefined) {
      const bytes = bounds.bytesOf(object);
      const taken = [...others.values()].reduce((sum, other) => sum + other.bytes, 0);
      if (taken + bytes > bounds.mostBytes) {
        const value = bounds.instead(object);
        return value === undefined ? undefined : { value, bytes: 0, isLeftOut: true };
      }
      const value = parse(object);
      return value === undefined ? undefined : { value, bytes, isLeftOut: false };
    }
    const value = parse(object);
    return value === undefined ? undefined : { value, bytes: 0, isLeftOut: false };
  }
}

function valuesOf<T>(objects: ReadonlyMap<string, Kept<T>>): readonly T[] {
  return [...objects.values()].map(({ value }) => value);
}
