import { join } from "node:path";
import type { GuestResults } from "./guest/guest-results.ts";
import type { GuestImage } from "./guest-image.ts";
import type { GuestKernel } from "./guest-kernels.ts";
import { runInGuest } from "./run-in-guest.ts";

const program = join(import.meta.dirname, "guest/run-stories.ts");

/** Boots a guest, has it run the stories, and gives what it has written. */
export async function runGuest(
  { name, settings, hasSurvival }: GuestKernel,
  image: GuestImage,
): Promise<GuestResults> {
  try {
    // Our own program's words; what is not as they should be fails its assertions.
    const variables = hasSurvival ? { SURVIVAL: "true" } : {};
    return (await runInGuest({ image, settings, program, variables })) as GuestResults;
  } catch (error) {
    throw new TypeError(`run the stories on ${name}`, { cause: error });
  }
}
