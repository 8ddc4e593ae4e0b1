import type { Log } from "@svc/logging";
import { findKubelet } from "./find-kubelet.ts";
import type { KubeletFile, TokenFileWriter } from "./token-file-maps.ts";

/** The kubelet, as it is known now. */
export interface FollowedKubelet {
  /** Why it is not known, for people; undefined if it is. It looks again. */
  readonly problem: () => string | undefined;
  readonly stop: () => void;
}

export interface FollowKubeletOptions {
  /** As this process reaches it. */
  readonly folder: string;
  readonly writer: Pick<TokenFileWriter, "allowKubelet" | "refuseKubelet">;
  readonly log: Log;
  /** By default a minute. */
  readonly intervalMs?: number;
}

// A kubelet that is upgraded has another file.
const INTERVAL_MS = 60_000;

/**
 * Has the kubelet open the files of tokens, which it writes and compares. It looks for the kubelet
 * when it is asked first, and every minute from then on. A kubelet that is away for a while stays
 * known.
 */
export function followKubelet(options: FollowKubeletOptions): FollowedKubelet {
  const { folder, writer, log, intervalMs = INTERVAL_MS } = options;
  let known: KubeletFile | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = (): string | undefined => {
    try {
      const found = findKubelet(folder);
      if (known !== undefined && isSame(known, found)) return undefined;
      writer.allowKubelet(found);
      if (known !== undefined) writer.refuseKubelet(known);
      known = found;
      log("info", "the kubelet may open files of tokens", { folder });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : typeof error;
    }
  };
  return {
    problem: () => {
      timer ??= setInterval(look, intervalMs).unref();
      if (known !== undefined) return undefined;
      return look();
    },
    stop: () => clearInterval(timer),
  };
}

function isSame(one: KubeletFile, other: KubeletFile): boolean {
  const { inode, device, mountNamespace } = other;
  return one.inode === inode && one.device === device && one.mountNamespace === mountNamespace;
}
