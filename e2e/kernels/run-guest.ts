import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { bootGuest } from "./boot-guest.ts";
import type { DebianKernel } from "./debian-kernel.ts";
import type { GuestResults } from "./guest/guest-results.ts";
import { writeGuestFileSystem } from "./guest-file-system.ts";
import type { GuestKernel } from "./guest-kernels.ts";

const stories = join(import.meta.dirname, "guest/run-stories.ts");

/** Boots a guest, has it run the stories, and gives what it has written. */
export async function runGuest(
  { name, settings }: GuestKernel,
  kernel: DebianKernel,
): Promise<GuestResults> {
  using folder = temporaryFolder();
  using results = temporaryFolder();
  const fileSystem = join(folder.path, "initramfs");
  await writeGuestFileSystem(fileSystem, kernel);
  writeFileSync(join(results.path, "run.sh"), guestScript());
  const shown = await bootGuest({
    ...{ kernel: kernel.image, fileSystem, settings, results: results.path },
  });
  const text = (file: string): string => {
    const path = join(results.path, file);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  if (text("status").trim() !== "0") {
    throw new TypeError(`run the stories on ${name}: ${text("output")}\n${shown}`);
  }
  // Our own program's words; what is not as they should be fails its assertions.
  return JSON.parse(text("stories.json")) as GuestResults;
}

/** The runtime is the one that runs this, in the same place there. */
function guestScript(): string {
  const { HOME = "/root", XDG_CACHE_HOME = "" } = process.env;
  const variables = {
    HOME,
    ...(XDG_CACHE_HOME !== "" && { XDG_CACHE_HOME }),
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    TERM: "dumb",
    LANG: "C.UTF-8",
  };
  const words = [
    ...["env", "-i", ...Object.entries(variables).map(([key, value]) => `${key}=${value}`)],
    ...[process.execPath, stories, "/run/results/stories.json"],
  ];
  return `exec ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}\n`;
}
