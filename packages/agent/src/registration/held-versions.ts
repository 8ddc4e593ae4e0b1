import type { Versions } from "@svc/agent-protocol";

/** A version of a secret that a program has, as its wrapper says. */
export interface HeldVersion {
  readonly path: string;
  readonly version: number;
  /** Since when, in the format of RFC 3339. */
  readonly since: string;
}

/** The versions of secrets that a wrapper's program has. */
export interface VersionsOfProgram {
  readonly registration: bigint;
  readonly podUid?: string;
  /** As the wrapper calls them: a help for people, and no proof. */
  readonly named: Readonly<Record<string, string | undefined>>;
  /** Whether the wrapper's stream is open. */
  readonly connected: boolean;
  readonly secrets: readonly HeldVersion[];
}

/** A wrapper sends no more than these. */
const MOST_SECRETS = 32;
const MOST_PATH = 128;
/** The last moment that a Date has. */
const LAST_MS = 8_640_000_000_000_000n;

/** A wrapper's statements about versions, within the agent's bounds: the others are left out. */
export function heldVersions({ secrets }: Versions): readonly HeldVersion[] {
  return secrets.slice(0, MOST_SECRETS).flatMap(({ path, version, sinceMs }) => {
    const isKnown = version <= BigInt(Number.MAX_SAFE_INTEGER) && sinceMs <= LAST_MS;
    if (!isKnown || path === "" || path.length > MOST_PATH) return [];
    return [{ path, version: Number(version), since: new Date(Number(sinceMs)).toISOString() }];
  });
}
