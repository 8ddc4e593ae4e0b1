import { join } from "node:path";
import { attackProgram } from "@svc/testing";
import { buildBpf } from "../../scripts/build/bpf.ts";
import { debianKernels } from "./debian-kernel.ts";
import { ensureGuestTools } from "./ensure-guest-tools.ts";
import type { GuestResults } from "./guest/guest-results.ts";
import type { GuestKernel } from "./guest-kernels.ts";
import { runGuest } from "./run-guest.ts";

/** A processor each, of the two that a small machine has. */
const AT_ONCE = 2;

/** Runs guests, two at a time. */
export async function runGuests(
  guests: readonly GuestKernel[],
): Promise<ReadonlyMap<string, GuestResults>> {
  ensureGuestTools();
  // What a guest runs is there before it starts: its compilers would be slow.
  attackProgram(process.env);
  buildBpf(join(import.meta.dirname, "../.."));
  const kernels = debianKernels(guests.map((guest) => guest.package));
  const waiting = [...guests];
  const results = new Map<string, GuestResults>();
  const work = async (): Promise<void> => {
    for (let guest = waiting.shift(); guest !== undefined; guest = waiting.shift()) {
      const kernel = kernels.get(guest.package);
      if (kernel === undefined) throw new TypeError(`there is no kernel of ${guest.package}`);
      results.set(guest.name, await runGuest(guest, kernel));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
