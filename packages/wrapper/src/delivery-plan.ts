import { descriptorFacts, readAt, type SecretMemoryKind, writeDescriptor } from "@svc/kernel";
import type { Following } from "@svc/settings";

/**
 * A courier leaves this for the supervisor right before it becomes the program: the changes to make
 * to the program before its first instruction. It holds no secret.
 */
export type DeliveryPlan =
  /** Nothing: the program runs as it is. */
  | { readonly kind: "run" }
  /**
   * The tracer must detach before execve, because else execve would not grant the file's
   * privileges.
   */
  | { readonly kind: "release" }
  | InjectionPlan;

/** Secrets are put into the program by its tracer. */
export interface InjectionPlan {
  readonly kind: "inject";
  readonly region: InheritedRegion;
  /** The index in envp of the first placeholder; the others follow it. */
  readonly firstSlot: number;
  /** The variables, in the order of the placeholders. */
  readonly variables: readonly string[];
  /** The offsets of their entries in the region, in the same order. */
  readonly offsets: readonly number[];
  /** How the programs that this one executes get the values. */
  readonly follow: Following;
}

/** The secret region as the program inherits it. */
export interface InheritedRegion {
  readonly fd: number;
  readonly lengthBytes: number;
  readonly kind: SecretMemoryKind;
  /** True if the program's pages of it have to be locked: SVC_REQUIRE_MLOCK. */
  readonly mustLock: boolean;
  /** Tells the region from another file that took over the number; inode(7). */
  readonly inode: number;
  /** The length of a slot, if values can be replaced (reloadable-region.ts of @svc/protocol). */
  readonly slotBytes?: number;
}

/** Writes a plan to the courier's descriptor for it. */
export function writePlan(fd: number, plan: DeliveryPlan): void {
  writeDescriptor(fd, new TextEncoder().encode(`${JSON.stringify(plan)}\n`));
}

/** Reads the last plan that was written; undefined if there is none. */
export function readPlan(fd: number): DeliveryPlan | undefined {
  const buffer = new Uint8Array(descriptorFacts(fd).size);
  const text = new TextDecoder().decode(buffer.subarray(0, readAt(fd, buffer, 0)));
  const line = text.trimEnd().split("\n").at(-1);
  // Written by this program's own courier with writePlan.
  return line === undefined || line === "" ? undefined : (JSON.parse(line) as DeliveryPlan);
}
