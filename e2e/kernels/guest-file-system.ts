import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CpioEntry } from "../harness/guests/cpio-archive.ts";
import { writeArchive } from "../harness/guests/write-archive.ts";
import type { GuestImage } from "./guest-image.ts";
import { mountScript } from "./guest-mounts.ts";

const PROGRAM = 0o100755;
const folders = ["dev", "files", "modules", "proc", "root", "sys", "written"];

/**
 * Writes the file system that a guest starts with: busybox, the modules, and mounts of this
 * machine's files.
 */
export function writeGuestFileSystem(
  path: string,
  { machine, modules }: GuestImage,
): Promise<void> {
  const programs: Readonly<Record<string, Uint8Array>> = {
    init: readFileSync(join(import.meta.dirname, "guest-init.sh")),
    continue: readFileSync(join(import.meta.dirname, "guest-continue.sh")),
    mounts: new TextEncoder().encode(mountScript(machine)),
    "bin/busybox": readFileSync(machine.busybox),
    // The shell takes them in the order of their names.
    ...Object.fromEntries(
      modules.map((bytes, index) => [`modules/${String(index).padStart(2, "0")}.ko`, bytes]),
    ),
  };
  const entries = Object.entries(programs).map(
    ([name, content]): CpioEntry => ({ path: name, mode: PROGRAM, content }),
  );
  return writeArchive(path, entries, folders);
}
