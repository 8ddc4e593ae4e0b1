import type { StoredFields } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepOutcome } from "../step.ts";
import { ensure } from "./ensure.ts";
import { mountAcross, mountAt } from "./mount-table.ts";
import type { Plan } from "./plan.ts";
import type { StoreAccess } from "./store-access.ts";

/**
 * Sees to a KV version 2 engine at a mount path, and waits until it answers.
 *
 * @throws BootstrapError `MOUNT_IN_THE_WAY`: version 1 is not upgraded, because that changes the
 * paths
 *   of every secret in it for its readers
 * @throws VaultError
 */
export async function ensureKvMount(access: StoreAccess, path: string): Promise<StepOutcome> {
  const plan = (table: StoredFields | undefined) => kvMountPlan(table, path);
  const outcome = await ensure(access, { step: "kv-mount", readPath: "sys/mounts", plan });
  const absent = access.dryRun === true && outcome.outcome === "created";
  // For a moment it refuses everything, while it sets itself up for versions: the client waits for
  // that.
  if (!absent) await access.admin.read(access.token, `${path}/config`);
  return outcome;
}

/** Makes the engine from the table of mounts. */
export function kvMountPlan(table: StoredFields | undefined, path: string): Plan {
  const mount = mountAt(table, path);
  if (mount === undefined) {
    const other = mountAcross(table, path);
    if (other !== undefined) throw inTheWay(path, `there is a mount at ${other}`);
    const fields = { type: "kv", options: { version: "2" } };
    return { outcome: "created", write: { path: `sys/mounts/${path}`, fields } };
  }
  if (mount.type !== "kv") throw inTheWay(path, `there is an engine of type "${mount.type}"`);
  if (mount.version === "2") return { outcome: "unchanged" };
  throw inTheWay(
    path,
    `there is a KV engine of version ${mount.version ?? "1"}`,
    `choose another BOOTSTRAP_KV_PATH, or upgrade it when nothing reads the old paths: bao kv enable-versioning ${path}`,
  );
}

function inTheWay(path: string, found: string, hint?: string): BootstrapError {
  return new BootstrapError("MOUNT_IN_THE_WAY", `mount KV version 2 at ${path}: ${found}`, {
    hint,
  });
}
