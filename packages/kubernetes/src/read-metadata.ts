/** The metadata of every object. */
export interface ObjectMetadata {
  readonly name: string;
  /** Empty for an object without a namespace. */
  readonly namespace: string;
  readonly resourceVersion: string | undefined;
}

/** The metadata of an object; undefined if it is not one. A bookmark has a version and no name. */
export function readMetadata(object: unknown): ObjectMetadata | undefined {
  const metadata: unknown = Object(object).metadata;
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const {
    name = "",
    namespace = "",
    resourceVersion,
  } = metadata as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || typeof namespace !== "string") return undefined;
  const version = typeof resourceVersion === "string" ? resourceVersion : undefined;
  return { name, namespace, resourceVersion: version };
}
