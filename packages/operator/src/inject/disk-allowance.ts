import type { Pod, ResourceNeeds } from "../pod/pod.ts";
import { quantityOf } from "../pod/quantity.ts";
import { everyContainer } from "./choose-containers.ts";

const resource = "ephemeral-storage";
/** The bundle's 8 MB, with room for it to grow. */
const BUNDLE_MIB = 16;
const MIB = 1024 ** 2;

/**
 * The needs of the init container, with room for the copied bundle if containers limit their disk.
 * The kubelet evicts a pod whose files, with its emptyDirs, exceed the sum of those limits, or an
 * init container's limit if that is larger (component-helpers resource.PodLimits). Its request of
 * nothing keeps the scheduler out of it.
 */
export function withDiskAllowance(pod: Pod, needs: ResourceNeeds): ResourceNeeds {
  const limits = everyContainer(pod)
    .filter(({ role }) => role !== "init")
    .flatMap(({ container: { resources } }) => resources?.limits?.[resource] ?? []);
  if (limits.length === 0 || needs.limits?.[resource] !== undefined) return needs;
  const total = limits.reduce((sum: number, limit) => sum + (quantityOf(limit) ?? 0), 0);
  const allowed = `${Math.ceil(total / MIB) + BUNDLE_MIB}Mi`;
  return {
    ...needs,
    requests: { ...needs.requests, [resource]: needs.requests?.[resource] ?? "0" },
    limits: { ...needs.limits, [resource]: allowed },
  };
}
