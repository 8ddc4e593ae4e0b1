import type { PodToken, VolumePlace } from "../csi/volume-request.ts";

/** A volume of a pod, and the token that came with it. */
interface Kept {
  readonly podUid: string;
  readonly token: PodToken;
}

/** Keeps pods' tokens, in memory alone: by the folder of the volume that each has come with. */
export class PodTokens {
  readonly #kept = new Map<string, Kept>();

  keep({ podUid, target }: VolumePlace, token: PodToken): void {
    this.#kept.set(target, { podUid, token });
  }

  forget(target: string): void {
    this.#kept.delete(target);
  }

  /** The token of a pod that lasts longest; undefined if none is valid any more. */
  tokenOf(podUid: string, nowMs: number): string | undefined {
    const valid = [...this.#kept.values()]
      .filter((kept) => kept.podUid === podUid && kept.token.expiresMs > nowMs)
      .map(({ token }) => token);
    return valid.toSorted((one, other) => other.expiresMs - one.expiresMs)[0]?.text;
  }
}
