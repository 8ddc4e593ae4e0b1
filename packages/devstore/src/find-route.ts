import { kubernetesLogin } from "./auth/kubernetes-login.ts";
import { createToken } from "./auth/token-create.ts";
import { lookupSelf, renewSelf, revokeSelf } from "./auth/token-self.ts";
import type { Route, TokenRoute } from "./http/route.ts";
import { kvRoute } from "./kv/kv-route.ts";
import type { StoreState } from "./model/store-state.ts";
import { lookupLease, readLeased, renewLeaseById, revokeLease } from "./sys/lease-api.ts";
import { DEV_LEASE_MOUNT, mountOf } from "./sys/mount-of.ts";
import { mountOfPath } from "./sys/sys-mounts.ts";

/** Paths that are matched as they are, or as a folder when the name ends in a slash. */
const FIXED: Readonly<Record<string, Omit<TokenRoute, "kind" | "rest">>> = {
  "auth/token/lookup-self": { operations: { read: lookupSelf, write: lookupSelf } },
  "auth/token/renew-self": { operations: { write: renewSelf } },
  "auth/token/revoke-self": { operations: { write: revokeSelf } },
  "auth/token/create": { operations: { write: createToken } },
  "sys/leases/lookup": { operations: { write: lookupLease } },
  "sys/leases/renew": { operations: { write: renewLeaseById } },
  "sys/leases/revoke": { operations: { write: revokeLease } },
  "sys/leases/renew/": { operations: { write: renewLeaseById } },
  "sys/leases/revoke/": { operations: { write: revokeLease } },
  "sys/internal/ui/mounts/": { operations: { read: mountOfPath }, anyToken: true },
  [`${DEV_LEASE_MOUNT}/`]: { operations: { read: readLeased } },
};

/** The route of a path; undefined when nothing is mounted there or the mount has no such path. */
export function findRoute(state: StoreState, path: string): Route | undefined {
  return loginRoute(state, path) ?? fixedRoute(path) ?? mountRoute(state, path);
}

/** The text for a path without a route: an unknown mount, or a path its mount does not have. */
export function noRouteText(path: string): string {
  const mounted = ["sys/", "auth/token/"].some((prefix) => path.startsWith(prefix));
  if (mounted) return "1 error occurred:\n\t* unsupported path\n\n";
  return `no handler for route "${path}". route entry not found.`;
}

function loginRoute(state: StoreState, path: string): Route | undefined {
  const login = state.kubernetes;
  if (login === undefined || path !== `auth/${login.mount ?? "kubernetes"}/login`) return undefined;
  return { kind: "open", rest: "", operations: { write: (call) => kubernetesLogin(call, login) } };
}

function fixedRoute(path: string): Route | undefined {
  const exact = Object.hasOwn(FIXED, path) ? FIXED[path] : undefined;
  if (exact !== undefined && !path.endsWith("/")) return { kind: "token", rest: "", ...exact };
  const folder = Object.entries(FIXED).find(
    ([name]) => name.endsWith("/") && path.startsWith(name),
  );
  return folder && { kind: "token", rest: path.slice(folder[0].length), ...folder[1] };
}

function mountRoute(state: StoreState, path: string): Route | undefined {
  const name = mountOf(state, path);
  const mount = name === undefined ? undefined : state.mounts.get(name);
  return mount && kvRoute(mount, path.slice(mount.path.length + 1));
}
