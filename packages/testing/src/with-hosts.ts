import { runsAsRoot } from "./runs-as-root.ts";

/**
 * The words that run a command for which a file stands for /etc/hosts: in a new mount namespace,
 * for which an unprivileged user needs a user namespace.
 */
export function withHosts(hosts: string, words: readonly string[]): readonly string[] {
  const asRoot = runsAsRoot() ? [] : ["--map-root-user"];
  const script = 'mount --bind "$1" /etc/hosts && shift && exec "$@"';
  return ["unshare", ...asRoot, "--mount", "sh", "-c", script, "sh", hosts, ...words];
}
