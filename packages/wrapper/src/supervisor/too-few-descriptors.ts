import { descriptorsLeft } from "@svc/kernel";
import { type Failure, failure } from "../errors.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";

/** Enough for the health port, the agent, a check and a rotation at the same time. */
const NEEDED = 20;

/**
 * Why the secrets could not be checked later on; undefined if there is room, or if nothing is ever
 * checked. A wrapper without room would deliver once, and then be ready with old values.
 *
 * @param fd any open descriptor
 */
export function tooFewDescriptors(settings: WrapperSettings, fd: number): Failure | undefined {
  if (rotationOf(settings).way === undefined) return undefined;
  const left = descriptorsLeft(fd, NEEDED);
  if (left === NEEDED) return undefined;
  const message = `checks of the secrets need ${NEEDED} more descriptors, and ${left} can be opened`;
  return failure("DESCRIPTOR_LIMIT", message);
}
