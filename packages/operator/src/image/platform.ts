/** The platform of an image. */
export interface PlatformConstraint {
  /** As registries and node labels name it: `linux`. */
  readonly os: string;
  /** As registries and node labels name them: `amd64`, `arm64`. All of them are possible. */
  readonly architectures: readonly string[];
}

/** A platform that an index or a configuration names. */
export interface ImagePlatform {
  readonly os?: string | undefined;
  readonly architecture?: string | undefined;
  readonly variant?: string | undefined;
}

/**
 * Whether a pod may run images of the platform. Nodes have no label for the variant: any is
 * possible.
 */
export function allows(
  constraint: PlatformConstraint,
  { os, architecture }: ImagePlatform,
): boolean {
  return os === constraint.os && constraint.architectures.includes(architecture ?? "");
}

/** `linux/amd64 or linux/arm64`. */
export function platformText({ os, architectures }: PlatformConstraint): string {
  return architectures.length === 0
    ? `${os} on no architecture`
    : architectures.map((architecture) => `${os}/${architecture}`).join(" or ");
}
