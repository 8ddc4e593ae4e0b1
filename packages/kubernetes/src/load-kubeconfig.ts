import { existsSync } from "node:fs";
import type { KubeConfig, User } from "@kubernetes/client-node";
import type { ClusterAccess } from "./cluster-access.ts";
import { KubernetesError } from "./kubernetes-error.ts";
import { podFolder, podServer } from "./pod-account.ts";

type Access<K> = Extract<ClusterAccess, { readonly kind: K }>;

/**
 * Reads how to reach the API server, into objects that this makes with `create`.
 * @throws KubernetesError `KUBECONFIG_UNUSABLE`
 */
export function loadKubeconfig(access: ClusterAccess, create: () => KubeConfig): KubeConfig {
  switch (access.kind) {
    case "pod":
      return fromPod(access, create());
    case "kubeconfig": {
      const merged = fromFiles(access, create);
      requireSupported(merged);
      return merged;
    }
  }
}

/** Not `loadFromCluster`: it takes the address from process.env, which is empty in our programs. */
function fromPod(access: Access<"pod">, config: KubeConfig) {
  const folder = podFolder(access);
  const authProvider = { name: "tokenFile", config: { tokenFile: `${folder}/token` } };
  const cluster = { name: "cluster", server: podServer(access), skipTLSVerify: false };
  config.loadFromClusterAndUser(
    { ...cluster, caFile: `${folder}/ca.crt` },
    { name: "account", authProvider },
  );
  return config;
}

function fromFiles(access: Access<"kubeconfig">, create: () => KubeConfig): KubeConfig {
  const found = access.paths.filter((path) => existsSync(path));
  if (found.length === 0)
    throw unusable(`read kubeconfig: none of ${quoted(access.paths)} is there`);
  const parts = found.map((path) => readFile(path, create()));
  const merged = create();
  merged.loadFromOptions({
    clusters: firstOfName(parts.map((part) => part.getClusters())),
    contexts: firstOfName(parts.map((part) => part.getContexts())),
    users: firstOfName(parts.map((part) => part.getUsers())).map((user) => equip(user, access)),
    currentContext: access.context ?? parts.map((it) => it.getCurrentContext()).find(Boolean),
  });
  return merged;
}

function readFile(path: string, config: KubeConfig): KubeConfig {
  try {
    config.loadFromFile(path);
    return config;
  } catch {
    // The parser quotes the lines around its place, and a token may be in them.
    throw unusable(`read kubeconfig "${path}": it cannot be read, or is not a kubeconfig`);
  }
}

/** If several files have an entry of a name, the first one counts, as for kubectl. */
function firstOfName<T extends { readonly name: string }>(lists: readonly (readonly T[])[]): T[] {
  const byName = new Map<string, T>();
  for (const entry of lists.flat()) {
    if (!byName.has(entry.name)) byName.set(entry.name, entry);
  }
  return [...byName.values()];
}

/**
 * Gives a log-in program a PATH and a HOME, and its full path: a compiled program has none to look
 * in.
 */
function equip(user: User, { programs }: Access<"kubeconfig">): User {
  const exec: unknown = user.exec;
  if (programs === undefined || !isRecord(exec)) return user;
  const command = String(exec["command"]);
  const given = Array.isArray(exec["env"]) ? exec["env"] : [];
  const env = [
    { name: "PATH", value: programs.path },
    { name: "HOME", value: programs.home },
    ...given,
  ];
  const found = command.includes("/") ? command : Bun.which(command, { PATH: programs.path });
  if (found === null) throw unusable(`log in with "${command}": it is not in PATH`);
  return { ...user, exec: { ...exec, command: found, env } };
}

/** Fields that the request's sender would silently ignore. */
function requireSupported(config: KubeConfig): void {
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  const name = config.getCurrentContext();
  if (!name) throw unusable("use the kubeconfig: it has no current context, and none was named");
  if (!cluster || !user)
    throw unusable(`use context "${name}": it, its cluster or its user is not there`);
  if (!/^https?:\/\//.test(cluster.server))
    throw unusable(`use cluster "${cluster.name}": it has no URL`);
  // The client fails then in the middle of a log-in, in words that name the user.
  if (cluster.server.startsWith("http:") && !cluster.skipTLSVerify)
    throw unusable(`use cluster "${cluster.name}": http needs insecure-skip-tls-verify`);
  if (cluster.proxyUrl) throw unusable(`use cluster "${cluster.name}": proxy-url is not supported`);
  if (user.impersonateUser)
    throw unusable(`use user "${user.name}": impersonation is not supported`);
}

function unusable(message: string): KubernetesError {
  return new KubernetesError("KUBECONFIG_UNUSABLE", message);
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
