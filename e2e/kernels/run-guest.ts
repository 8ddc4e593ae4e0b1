import { join } from "node:path";
import type { GuestResults } from "./guest/guest-results.ts";
import type { GuestImage } from "./guest-image.ts";
import type { GuestKernel } from "./guest-kernels.ts";
import { runInGuest } from "./run-in-guest.ts";

const program = join(import.meta.dirname, "guest/run-stories.ts");

/** Boots a guest, has it run the stories, and returns the results that it has written. */
export async function runGuest(
  { name, settings, hasSurvival }: GuestKernel,
  image: GuestImage,
): Promise<GuestResults> {
  try {
    // The output of our program, whose form is known; a wrong one fails the assertions.
    const variables = hasSurvival ? { SURVIVAL: "true" } : {};
    return (await runInGuest({ image, settings, program, variables })) as GuestResults;
  } catch (error) {
    throw new TypeError(`run the stories on ${name}`, { cause: error });
  }
}
