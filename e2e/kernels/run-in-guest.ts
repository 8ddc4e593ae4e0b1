import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { bootGuest } from "./boot-guest.ts";
import { writeGuestFileSystem } from "./guest-file-system.ts";
import type { GuestImage } from "./guest-image.ts";

/** The command of a guest. */
export interface GuestErrand {
  readonly image: GuestImage;
  /** More of the kernel's command line. */
  readonly settings: readonly string[];
  /** A TypeScript file of this machine, which is given the path to write its results to as JSON. */
  readonly program: string;
  /** Environment variables of the program. */
  readonly variables?: Readonly<Record<string, string>>;
  /** When it is given up; by default 15 minutes. */
  readonly deadlineMs?: number;
}

/**
 * Boots a guest that runs a program and powers off; gives the program's results. Throws TypeError
 * if that has failed.
 */
export async function runInGuest(errand: GuestErrand): Promise<unknown> {
  const { image, settings, deadlineMs = 1_800_000 } = errand;
  using folder = temporaryFolder();
  using results = temporaryFolder();
  const fileSystem = join(folder.path, "initramfs");
  await writeGuestFileSystem(fileSystem, image);
  writeFileSync(join(results.path, "run.sh"), guestScript(errand));
  const text = (file: string): string => {
    const path = join(results.path, file);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  const { machine, image: kernel } = image;
  const boot = { machine, kernel, fileSystem, settings, results: results.path, deadlineMs };
  const { end, shown } = await bootGuest(boot);
  if (end === "powered off" && text("status").trim() === "0") {
    return JSON.parse(text("results.json"));
  }
  throw new TypeError(`${errand.program} in a guest: ${end}: ${text("output")}\n${shown}`);
}

/** The runtime lies in the same place there. */
function guestScript({ image, program, variables = {} }: GuestErrand): string {
  const { HOME = "/root", XDG_CACHE_HOME = "" } = process.env;
  const environment = {
    HOME,
    ...(XDG_CACHE_HOME !== "" && { XDG_CACHE_HOME }),
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    TERM: "dumb",
    LANG: "C.UTF-8",
    ...variables,
  };
  const words = [
    ...["env", "-i", ...Object.entries(environment).map(([key, value]) => `${key}=${value}`)],
    ...[image.machine.runtime, program, "/run/results/results.json"],
  ];
  return `exec ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}\n`;
}
