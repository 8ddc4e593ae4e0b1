import { join } from "node:path";
import { attackProgram } from "@svc/testing";
import { buildBpf } from "../../scripts/build/bpf.ts";
import { architectures } from "../../scripts/build/bundle/architecture.ts";
import { build } from "../../scripts/build.ts";
import { ensureGuestTools as ensureArm64Tools } from "../harness/guests/ensure-guest-tools.ts";
import { ensureGuestTools } from "./ensure-guest-tools.ts";
import type { GuestResults } from "./guest/guest-results.ts";
import { guestImages } from "./guest-images.ts";
import type { GuestKernel } from "./guest-kernels.ts";
import type { GuestArchitecture } from "./guest-machine.ts";
import { runGuest } from "./run-guest.ts";

/** A processor each, of the two that a small machine has. */
const AT_ONCE = 2;

const root = join(import.meta.dirname, "../..");

/** Builds the programs of a guest before it starts: its compilers would be slow. */
async function buildFor(name: GuestArchitecture): Promise<void> {
  if (name !== process.arch) {
    ensureArm64Tools();
    const own = architectures.find((architecture) => architecture.name === name);
    // The operator is nothing of a node.
    await build(own, ["svc", "svc-agent", "svc-wrapper"]);
  }
  attackProgram(process.env, name);
  buildBpf(root, name);
}

/**
 * Runs guests, two at a time.
 *
 * @param onResult called with each when it has ended: they take minutes
 * @throws AggregateError with the reasons of guests that failed, when all have ended
 */
export async function runGuests(
  guests: readonly GuestKernel[],
  onResult: (name: string, results: GuestResults) => void,
): Promise<void> {
  ensureGuestTools();
  const images = await guestImages(guests.map((guest) => guest.image));
  const machines = [...images.values()].map(({ machine }) => machine.architecture);
  for (const architecture of new Set(machines)) await buildFor(architecture);
  const waiting = [...guests];
  const work = async (): Promise<void> => {
    for (let guest = waiting.shift(); guest !== undefined; guest = waiting.shift()) {
      const image = images.get(guest.image);
      if (image === undefined) throw new TypeError(`there is no kernel ${guest.image}`);
      onResult(guest.name, await runGuest(guest, image));
    }
  };
  // One that fails leaves no other one running.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  // The test runner shows the message of such an error, and none of its reasons.
  if (failures.length > 0) throw new AggregateError(failures, failures.map(textOf).join("\n"));
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${textOf(error.cause)}`;
}
