import { env, stderr } from "node:process";
import { cacheFolder } from "@svc/testing";
import { debianKernels } from "./debian-kernel.ts";
import type { GuestImage } from "./guest-image.ts";
import type { ImageName } from "./guest-kernels.ts";
import { overrideKernel } from "./override-kernel.ts";

/** The kernels of these names. Missing ones are downloaded or compiled first. */
export async function guestImages(
  names: readonly ImageName[],
): Promise<ReadonlyMap<ImageName, GuestImage>> {
  const own = names.filter((name) => name !== "override");
  const isOverridden = own.length < names.length;
  const images = new Map<ImageName, GuestImage>(debianKernels(own));
  const say = (line: string): void => void stderr.write(`override kernel: ${line}\n`);
  if (isOverridden) images.set("override", await overrideKernel(cacheFolder(env), say));
  return images;
}
