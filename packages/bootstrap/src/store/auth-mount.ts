import type { StoredFields } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepOutcome } from "../step.ts";
import { ensure } from "./ensure.ts";
import { mountAcross, mountAt } from "./mount-table.ts";
import type { Plan } from "./plan.ts";
import type { StoreAccess } from "./store-access.ts";

/**
 * Sees to the Kubernetes auth method at a mount path below `auth/`.
 *
 * @throws BootstrapError `AUTH_IN_THE_WAY`
 * @throws VaultError
 */
export function ensureAuthMount(access: StoreAccess, path: string): Promise<StepOutcome> {
  const plan = (table: StoredFields | undefined) => authMountPlan(table, path);
  return ensure(access, { step: "auth-mount", readPath: "sys/auth", plan });
}

/** Makes the auth method from the table of auth mounts. */
export function authMountPlan(table: StoredFields | undefined, path: string): Plan {
  const mount = mountAt(table, path);
  if (mount?.type === "kubernetes") return { outcome: "unchanged" };
  const other = mount === undefined ? mountAcross(table, path) : undefined;
  if (mount === undefined && other === undefined) {
    const fields = { type: "kubernetes" };
    return { outcome: "created", write: { path: `sys/auth/${path}`, fields } };
  }
  const found =
    mount === undefined ? `a mount at auth/${other}` : `an auth method of type "${mount.type}"`;
  throw new BootstrapError(
    "AUTH_IN_THE_WAY",
    `mount the Kubernetes auth method at auth/${path}: there is ${found}`,
  );
}
