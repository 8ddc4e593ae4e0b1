import { basename } from "node:path";
import { SyscallError } from "@svc/kernel";
import { notFirstProcess } from "../registration/first-process.ts";
import { readProcess } from "../registration/process-facts.ts";
import type { ProcessIdentity } from "../registration/process-identity.ts";
import type { ClaimedTokenFile, TokenHolder, TokenWatch } from "../registration/token-watch.ts";
import { findVolume } from "./find-volume.ts";
import type { FollowedKubelet } from "./follow-kubelet.ts";
import type { TokenFiles } from "./token-files.ts";

export interface WatchTokensOptions {
  readonly files: Pick<TokenFiles, "keep" | "forget">;
  readonly kubelet: Pick<FollowedKubelet, "look">;
  /** By default the kernel's word. */
  readonly lives?: (process: ProcessIdentity) => boolean;
}

/** Watches the files of wrappers that are the first processes of pods' containers. */
export function watchTokens(options: WatchTokensOptions): TokenWatch {
  const { files, lives = isAlive } = options;
  const wrappers = new Map<bigint, ProcessIdentity>();
  const suspects = new Set<bigint>();
  return {
    watch: (holder, file) => {
      const reason = keep(options, holder, file);
      if (reason === "") wrappers.set(holder.registration, holder.wrapper);
      suspects.delete(holder.registration);
      return reason;
    },
    disconnected: (registration) => {
      if (wrappers.has(registration)) suspects.add(registration);
    },
    sweep: () => {
      for (const registration of suspects) {
        const wrapper = wrappers.get(registration);
        if (wrapper !== undefined && lives(wrapper)) continue;
        suspects.delete(registration);
        wrappers.delete(registration);
        files.forget(registration);
      }
    },
  };
}

function keep(
  { files, kubelet }: WatchTokensOptions,
  { registration, podUid, namespacePids }: TokenHolder,
  { path, device, inode }: ClaimedTokenFile,
): string {
  const stranger = notFirstProcess({ podUid, namespacePids });
  if (stranger !== undefined || podUid === undefined) return `the wrapper: ${stranger}`;
  const seen = kubelet.look();
  // Its own reads would be events, once a minute for each pod.
  if (seen.kind === "missing") return `the agent did not find the kubelet: ${seen.reason}`;
  const file = { name: basename(path), device, inode };
  const found = findVolume(file, podUid, seen.mountinfo);
  if (found.kind === "none") return found.reason;
  try {
    files.keep(registration, { ...file, folder: found.folder });
    return "";
  } catch (error) {
    files.forget(registration);
    if (!(error instanceof SyscallError)) throw error;
    return `the kernel takes no more files: ${error.message}`;
  }
}

function isAlive({ pid, startTicks }: ProcessIdentity): boolean {
  return readProcess(pid)?.startTicks === startTicks;
}
