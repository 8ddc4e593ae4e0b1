/**
 * The registry of references that name none. Always a setting: this code knows no registry by name.
 */
export interface DefaultRegistry {
  /** As a full reference names it, and as pull secrets may. */
  readonly name: string;
  /** Further names of it, in references and in pull secrets. */
  readonly aliases: readonly string[];
  /** `host[:port]` that serves its API. */
  readonly server: string;
  /** The prefix of a name of one part, as `library`; empty by default. */
  readonly namespace?: string | undefined;
}

/** Whether the name means the default registry. */
export function isDefaultRegistry(
  registry: string,
  byDefault: DefaultRegistry | undefined,
): boolean {
  return byDefault?.name === registry || byDefault?.aliases.includes(registry) === true;
}
