import { runsAsRoot } from "./runs-as-root.ts";

/**
 * The words that run a command where a file stands for /etc/hosts: in a mount namespace of its own,
 * for which an unprivileged user needs a user namespace.
 */
export function withHosts(hosts: string, words: readonly string[]): readonly string[] {
  const asRoot = runsAsRoot() ? [] : ["--map-root-user"];
  const script = 'mount --bind "$1" /etc/hosts && shift && exec "$@"';
  return ["unshare", ...asRoot, "--mount", "sh", "-c", script, "sh", hosts, ...words];
}
