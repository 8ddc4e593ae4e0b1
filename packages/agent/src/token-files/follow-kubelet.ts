import type { Log } from "@svc/logging";
import { findKubelet } from "./find-kubelet.ts";
import type { KubeletFile, TokenFileWriter } from "./token-file-maps.ts";

/** The kubelet, or why the agent does not find it, for people. */
export type KubeletLook =
  | { readonly kind: "found"; readonly mountinfo: string }
  | { readonly kind: "missing"; readonly reason: string };

/** Follows the kubelet through upgrades. */
export interface FollowedKubelet {
  readonly look: () => KubeletLook;
  readonly stop: () => void;
}

export interface FollowKubeletOptions {
  /** The kubelet's folder. */
  readonly folder: string;
  readonly writer: Pick<TokenFileWriter, "allowKubelet" | "refuseKubelet">;
  readonly log: Log;
  /** By default a minute. */
  readonly intervalMs?: number;
}

// A kubelet that is upgraded has another file.
const INTERVAL_MS = 60_000;

/**
 * Has the kubelet open the files of tokens, which it writes and compares. After the first look it
 * looks again every minute. A kubelet that is away for a while stays known.
 */
export function followKubelet(options: FollowKubeletOptions): FollowedKubelet {
  const { folder, writer, log, intervalMs = INTERVAL_MS } = options;
  let known: KubeletFile | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const allow = (found: KubeletFile): void => {
    if (known !== undefined && isSame(known, found)) return;
    writer.allowKubelet(found);
    if (known !== undefined) writer.refuseKubelet(known);
    known = found;
    log("info", "the kubelet may open files of tokens", { folder });
  };
  const look = (): KubeletLook => {
    timer ??= setInterval(look, intervalMs).unref();
    try {
      const { executable, mountinfo } = findKubelet(folder);
      allow(executable);
      return { kind: "found", mountinfo };
    } catch (error) {
      return { kind: "missing", reason: error instanceof Error ? error.message : typeof error };
    }
  };
  return { look, stop: () => clearInterval(timer) };
}

function isSame(one: KubeletFile, other: KubeletFile): boolean {
  const { inode, device, mountNamespace } = other;
  return one.inode === inode && one.device === device && one.mountNamespace === mountNamespace;
}
