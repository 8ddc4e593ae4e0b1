import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Architecture } from "../build/bundle/architecture.ts";
import { run } from "./run.ts";

/** The first bytes of an image and of its place; engine/host/src/sys/image/mod.rs. */
const MARK = "svc image begins";

/**
 * Puts the image of its booted script into a wrapper that was just linked: the wrapper itself makes
 * it (docs/decisions/0080). It makes two, in different surroundings, which have to be the same.
 *
 * A wrapper for another architecture stays without one, and boots from its modules.
 *
 * @throws Error where no image can be made, where the two differ, or where it has no place.
 */
export function putImage(wrapper: string, architecture: Architecture["name"]): void {
  if (architecture !== process.arch) return;
  // Not in /tmp: it may be mounted with noexec.
  const folder = mkdtempSync(join(dirname(wrapper), "image-"));
  try {
    const image = makeImage(wrapper, join(folder, "first"), {});
    const elsewhere = join(folder, "a wrapper with another name");
    copyFileSync(wrapper, elsewhere);
    const surroundings = { SVC_NAME: "of another environment", TZ: "Pacific/Kiritimati" };
    const again = makeImage(elsewhere, join(folder, "second"), surroundings);
    if (!image.equals(again)) {
      throw new Error(`make an image: ${differenceOf(image, again)}: a module asks the system`);
    }
    write(wrapper, image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeImage(
  wrapper: string,
  path: string,
  environment: Readonly<Record<string, string>>,
): Buffer {
  run([wrapper, "--make-image", path], environment);
  return readFileSync(path);
}

function differenceOf(image: Buffer, again: Buffer): string {
  if (image.length !== again.length) return `two have ${image.length} and ${again.length} bytes`;
  return `two differ at byte ${image.findIndex((byte, index) => byte !== again[index])}`;
}

function write(wrapper: string, image: Buffer): void {
  const bytes = readFileSync(wrapper);
  const place = bytes.indexOf(MARK);
  if (place === -1 || bytes.indexOf(MARK, place + 1) !== -1) {
    throw new Error(`put an image into ${wrapper}: it must have one place for it`);
  }
  const file = openSync(wrapper, "r+");
  try {
    writeSync(file, image, 0, image.length, place);
  } finally {
    closeSync(file);
  }
}
