import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "./programs.ts";
import type { Root } from "./roots.ts";

/**
 * Fills a folder for /opt/app, the working directory, with the root's own program and a static one.
 * And with files that would steer the wrapper if it, its runtime or its loader looked at them.
 */
export function makeApplication(folder: string, root: Root): string {
  mkdirSync(join(folder, "wrong"), { recursive: true });
  copyFileSync(root.program, join(folder, "tells"));
  copyFileSync(program("tells-static"), join(folder, "tells-static"));
  copyFileSync(program("steers.so"), join(folder, "steers.so"));
  for (const name of ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld.so"]) {
    writeFileSync(join(folder, "wrong", name), "no library");
  }
  writeFileSync(join(folder, ".env"), "SVC_DELIVERY=library\nVAULT_ADDR=http://127.0.0.1:9\n");
  writeFileSync(join(folder, "bunfig.toml"), 'preload = ["/opt/app/steers.js"]\n');
  writeFileSync(join(folder, "steers.js"), 'process.stdout.write("steered");\n');
  writeFileSync(join(folder, "package.json"), "no JSON");
  writeFileSync(join(folder, "tsconfig.json"), "no JSON");
  return folder;
}
