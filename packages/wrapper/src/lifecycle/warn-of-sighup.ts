import { readWholeFile, SyscallError } from "@svc/kernel";
import { endsBySignal } from "../program/ends-by-signal.ts";
import { isLauncher } from "../program/launchers.ts";
import type { World } from "./world.ts";

const SIGHUP = 1;
const MAX_COMMAND_BYTES = 1 << 20;

/**
 * Says what SIGHUP will do where SVC_ROTATION=sighup and a shell, or another launcher, stands between the
 * wrapper and the program. To be called once a launcher that executes the program has had time for it.
 */
export function warnOfSighup(
  { settings, log }: Pick<World, "settings" | "log">,
  pid: number,
): void {
  if (settings.rotation.mode !== "sighup") return;
  const argv = argumentsOf(pid);
  const [name = ""] = argv;
  if (!isLauncher({ executed: name, argv })) return;
  const effect = endsBySignal(pid, SIGHUP)
    ? "it ends, and the program with it"
    : "it may not hand the signal on to the program";
  log.warn(`SVC_ROTATION=sighup: ${JSON.stringify(name)} gets the signal: ${effect}`, {
    hint: "let it execute the program (exec program …), or use SVC_ROTATION=restart",
  });
}

/** Empty of a process that has ended. */
function argumentsOf(pid: number): readonly string[] {
  try {
    const bytes = readWholeFile(`/proc/${pid}/cmdline`, MAX_COMMAND_BYTES);
    return new TextDecoder().decode(bytes).split("\0");
  } catch (error) {
    if (error instanceof SyscallError) return [];
    throw error;
  }
}
