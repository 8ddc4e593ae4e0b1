import { posix } from "node:path";

/** A mount's place as the node resolves it: `//opt//svc/` and `/opt/x/../svc` are `/opt/svc`. */
export function mountPathOf({ mountPath }: { readonly mountPath: string }): string {
  const path = posix.normalize(`/${mountPath}`);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
