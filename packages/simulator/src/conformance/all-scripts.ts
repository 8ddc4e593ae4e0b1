import type { Scripts } from "./calls/kernel-under-test.ts";
import { children } from "./scripts/children.ts";
import { controls } from "./scripts/controls.ts";
import { descriptors } from "./scripts/descriptors.ts";
import { files } from "./scripts/files.ts";
import { memory } from "./scripts/memory.ts";
import { pipes } from "./scripts/pipes.ts";
import { signalling } from "./scripts/signals.ts";
import { sockets } from "./scripts/sockets.ts";

/** The scripts of calls, by the part of the kernel that they are about. */
export const scripts: Readonly<Record<string, Scripts>> = {
  pipes,
  sockets,
  descriptors,
  files,
  memory,
  signals: signalling,
  children,
  controls,
};
