/** A registry that references may leave out, or name otherwise than its server. */
export interface DefaultRegistry {
  /** As a full reference names it, and as pull secrets may. */
  readonly name: string;
  /** Further names of it, in references and in pull secrets. */
  readonly aliases: readonly string[];
  /** `host[:port]` that serves its API; undefined if only its mirrors are asked. */
  readonly server: string | undefined;
  /** The prefix of a name of one part, as `library`; empty by default. */
  readonly namespace?: string | undefined;
}

/**
 * Docker Hub, which containerd asks for images without a registry (`normalize.go` of
 * github.com/distribution/reference, `DefaultHost` of containerd's core/remotes/docker).
 */
export const dockerHub: DefaultRegistry = {
  name: "docker.io",
  aliases: ["index.docker.io"],
  server: "registry-1.docker.io",
  namespace: "library",
};

/**
 * The registry that has this name, if it is the default or Docker Hub: a full name of the latter
 * means the same image on each node.
 */
export function knownRegistry(
  name: string,
  byDefault: DefaultRegistry = dockerHub,
): DefaultRegistry | undefined {
  return [byDefault, dockerHub].find((each) => each.name === name || each.aliases.includes(name));
}
