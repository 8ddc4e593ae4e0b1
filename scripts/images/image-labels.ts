import type { ImagePlan } from "./image-plan.ts";

/** The inputs of labels. */
export interface LabelFacts {
  readonly version: string;
  /** The commit, with `-dirty` if files differ from it; undefined outside of a repository. */
  readonly revision: string | undefined;
  /** The place of the published sources; undefined if they are not. */
  readonly source: string | undefined;
}

/**
 * The labels of an image (OCI image-spec, annotations.md). None is a time: the same input gives the
 * same digest.
 */
export function imageLabels(
  { name, description }: Pick<ImagePlan, "name" | "description">,
  { version, revision, source }: LabelFacts,
): Readonly<Record<string, string>> {
  const label = (key: string) => `org.opencontainers.image.${key}`;
  return {
    [label("title")]: name,
    [label("description")]: description,
    [label("version")]: version,
    [label("licenses")]: "Apache-2.0",
    ...(revision !== undefined && { [label("revision")]: revision }),
    ...(source !== undefined && { [label("source")]: source, [label("url")]: source }),
  };
}
