import { BootstrapError } from "../bootstrap-error.ts";
import type { OpenedStore } from "./open-nodes.ts";

/** @throws BootstrapError `PODS_LEFT` if some pods are not unsealed */
export function requireAll({ left }: OpenedStore): void {
  if (left.length === 0) return;
  throw new BootstrapError("PODS_LEFT", `unseal the store's pods: ${left.join("; ")}`);
}
