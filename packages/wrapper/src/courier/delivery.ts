import type { EnvironmentEntry } from "@svc/kernel";
import type { SecretBytes } from "@svc/secret-bytes";
import type { CourierDescriptors, JobMessage } from "../messages/job-message.ts";
import type { DeliveryChoice } from "../program/choose-delivery.ts";
import type { ExecFilter } from "../program/install-exec-filter.ts";
import type { LocatedProgram } from "../program/locate-program.ts";
import type { PassedFile } from "../secret-files/passed-file.ts";
import type { CourierContext } from "./courier-context.ts";

/** Everything that a delivery needs. */
export interface Delivery extends CourierContext {
  /** The words after `--`, to the byte. */
  readonly programWords: readonly Uint8Array[];
  /** The wrapper's arguments and environment, without the token. */
  readonly environment: readonly EnvironmentEntry[];
}

/** A variable and its value. */
export interface SecretEntry {
  readonly variable: string;
  readonly value: SecretBytes;
  /** Where it was read. */
  readonly path: string;
}

/** The written region, mapped in this process until it becomes the program. */
export interface FilledRegion {
  readonly fd: number;
  /** The address of each entry in this process, in the order of the entries; C strings. */
  readonly addresses: readonly number[];
  /** The same, from the start of the region. */
  readonly offsets: readonly number[];
  readonly lengthBytes: number;
  /** The length of a slot, if values can be replaced (reloadable-region.ts of @svc/protocol). */
  readonly slotBytes?: number;
}

/** The last step of a delivery, by a courier or by the supervisor itself. */
export interface ReadyDelivery extends Pick<Delivery, "environment" | "log" | "say"> {
  readonly jobMessage: Pick<
    JobMessage,
    "settings" | "memoryKind" | "ignoredSignals" | "inheritedFds" | "supervisorPid" | "tracing"
  >;
  readonly descriptors: Pick<CourierDescriptors, "plan" | "listener">;
  readonly program: LocatedProgram;
  readonly region: FilledRegion;
  readonly choice: DeliveryChoice;
  /** The filter that this process has by now; undefined if none was wanted. */
  readonly filter: ExecFilter | undefined;
  /** Files that the program inherits; absent if they are at their paths. */
  readonly passedFiles?: readonly PassedFile[];
  /** In the order of the region, which alone has their values. */
  readonly variables: readonly string[];
}
