import { statSync } from "node:fs";
import { join } from "node:path";
import { processLives } from "@svc/kernel";
import { volumesOfPod } from "../csi/published-volumes.ts";
import type { LocalCaller } from "../registration/caller.ts";
import { readProcess } from "../registration/process-facts.ts";
import { cgroupIdentity } from "../report/cgroup-identity.ts";
import { type FileIdentity, refusalOf } from "./judge-caller.ts";

/** The kernel's word about a process that asks for a token. */
export type CallerLook =
  | { readonly kind: "wrapper" }
  | { readonly kind: "refused"; readonly reason: string }
  /** It has ended. */
  | { readonly kind: "gone" };

/** In a volume of the driver. */
const WRAPPER = "bin/svc-wrapper";

/** Asks the kernel whether a process is the wrapper of a container. */
export function lookAtCaller({ process, pidfd }: LocalCaller, kubelet: string): CallerLook {
  const now = readProcess(process.pid);
  const executable = identityOf(`/proc/${process.pid}/exe`);
  // Then all of that was about this process, and not about a later one of its number.
  if (now === undefined || !processLives(pidfd)) return { kind: "gone" };
  const { podUid } = cgroupIdentity(now.cgroup);
  const volumes = podUid === undefined ? [] : volumesOfPod(kubelet, podUid);
  const wrappers = volumes.flatMap((target) => identityOf(join(target, WRAPPER)) ?? []);
  const { namespacePids, tracer } = now;
  const reason = refusalOf({ podUid, namespacePids, tracer, executable }, wrappers);
  return reason === undefined ? { kind: "wrapper" } : { kind: "refused", reason };
}

function identityOf(path: string): FileIdentity | undefined {
  try {
    const { dev: device, ino: inode } = statSync(path, { bigint: true });
    return { device, inode };
  } catch {
    return undefined;
  }
}
