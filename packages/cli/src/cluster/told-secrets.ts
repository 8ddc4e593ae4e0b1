/** A version of a secret that a program has. */
export interface ToldSecret {
  readonly path: string;
  readonly version: number;
  /** Since when, in the format of RFC 3339. */
  readonly since: string;
}

/** A wrapper shows no more of them. */
const MOST = 256;

/** The versions in a wrapper's answer; those that are malformed are left out. Pure. */
export function toldSecrets(value: unknown): readonly ToldSecret[] {
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, MOST) : [];
  return list.flatMap((one) => {
    const { path, version, since } = Object(one);
    const isWhole =
      typeof path === "string" && typeof since === "string" && Number.isSafeInteger(version);
    return isWhole ? [{ path: plain(path), version, since: plain(since) }] : [];
  });
}

/** A terminal obeys control characters. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
