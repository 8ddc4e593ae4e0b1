import { type Login, type Secret, type VaultClient, VaultError } from "@svc/vault";

/** Tokens of the operator's role. */
export interface VaultTokens {
  /**
   * Does something by a token. If the vault refuses it because the token has ended, it is done once
   * again by another one.
   * @throws VaultError of the login, and all of the operation
   */
  readonly use: <T>(operation: (token: Secret) => Promise<T>) => Promise<T>;
  /** Ends the token. Never rejects. */
  readonly end: () => Promise<void>;
}

/** The parts of it. */
export interface TokenParts {
  readonly client: () => Pick<VaultClient, "lookupSelf" | "revokeSelf">;
  readonly login: () => Promise<Login>;
  /** As `performance.now`. */
  readonly nowMs: () => number;
}

interface Current {
  readonly token: Secret;
  readonly untilMs: number;
}

/** The share of its life in which a token is used. */
const USED = 0.75;
/** A path that the role may not read is refused each time: the token is not asked about as often. */
const ASKED_AGAIN_MS = 60_000;

/** Logs in when a token is needed, and again before its life ends. */
export function vaultTokens({ client, login, nowMs }: TokenParts): VaultTokens {
  let current: Current | undefined;
  let pending: Promise<Current> | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  const logIn = async (): Promise<Current> => {
    const { token, ttlMs } = await login();
    const untilMs = ttlMs === 0 ? Number.POSITIVE_INFINITY : nowMs() + ttlMs * USED;
    return { token, untilMs };
  };
  const good = async (): Promise<Current> => {
    if (current !== undefined && nowMs() < current.untilMs) return current;
    pending ??= logIn().finally(() => {
      pending = undefined;
    });
    current = await pending;
    return current;
  };
  const hasEnded = async (used: Current): Promise<boolean> => {
    if (current !== used) return true;
    if (nowMs() - askedMs < ASKED_AGAIN_MS) return false;
    askedMs = nowMs();
    const isKnown = await isTokenKnown(client(), used.token);
    if (!isKnown && current === used) current = undefined;
    return !isKnown;
  };
  return {
    use: async (operation) => {
      const used = await good();
      try {
        return await operation(used.token);
      } catch (error) {
        if (!isDenied(error) || !(await hasEnded(used))) throw error;
      }
      return operation((await good()).token);
    },
    end: async () => {
      const last = current;
      current = undefined;
      if (last === undefined) return;
      try {
        await client().revokeSelf(last.token);
      } catch {
        // It ends by itself a little later.
      }
    },
  };
}

function isDenied(error: unknown): boolean {
  return error instanceof VaultError && error.code === "DENIED";
}

async function isTokenKnown(
  client: Pick<VaultClient, "lookupSelf">,
  token: Secret,
): Promise<boolean> {
  try {
    await client.lookupSelf(token);
    return true;
  } catch (error) {
    return !isDenied(error);
  }
}
