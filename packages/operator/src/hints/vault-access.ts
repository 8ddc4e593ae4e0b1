import { SyscallError } from "@svc/kernel";
import { readSecretFile } from "@svc/secret-bytes";
import {
  createVaultClient,
  type Login,
  loadTls,
  Secret,
  type VaultClient,
  VaultError,
} from "@svc/vault";
import type { HintSettings } from "../flags/hint-flags.ts";
import { type VaultTokens, vaultTokens } from "./vault-tokens.ts";

/** The vault that hints come from, and the operator's tokens for it. */
export interface VaultAccess {
  /** @throws VaultError if the file of authorities cannot be used */
  readonly client: () => VaultClient;
  readonly tokens: VaultTokens;
}

const MOST_TOKEN_BYTES = 64 * 1024;
const REQUEST_MS = 10_000;
/** A scan of about 150,000 secrets. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const END_MS = 2000;

/** Reads the files when they are needed, so that they may come later, and may change. */
export function vaultAccess(settings: HintSettings, signal: AbortSignal): VaultAccess {
  let made: VaultClient | undefined;
  const client = (): VaultClient => {
    made ??= clientOf(settings, signal);
    return made;
  };
  const login = async (): Promise<Login> => {
    const { role, method, mountPath } = settings;
    const request = { role, mountPath, jwt: readToken(settings.tokenFile) };
    try {
      return await (method === "jwt"
        ? client().loginJwt(request)
        : client().loginKubernetes(request));
    } catch (error) {
      // The authorities are read again: they may be new ones.
      if (error instanceof VaultError && error.code === "TLS") made = undefined;
      throw error;
    }
  };
  // The signal has ended all requests of the other one by then.
  const last = () => clientOf(settings, AbortSignal.timeout(END_MS));
  const tokens = vaultTokens({
    client: () => (signal.aborted ? last() : client()),
    login,
    nowMs: () => performance.now(),
  });
  return { client, tokens };
}

function clientOf(
  { address, namespace, authorityFile }: HintSettings,
  signal: AbortSignal,
): VaultClient {
  return createVaultClient({
    ...{ address, namespace, signal },
    tls: loadTls({ skipVerify: false, caCertPath: authorityFile }),
    requestTimeoutMs: REQUEST_MS,
    maxResponseBytes: MOST_ANSWER_BYTES,
    // Each look is the next try.
    retry: { maxAttempts: 1 },
  });
}

function readToken(file: string): Secret {
  try {
    return new Secret(readSecretFile(file, MOST_TOKEN_BYTES));
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new VaultError("INVALID_INPUT", `read --hints-vault-token-file: ${error.code}`, {
      cause: error,
    });
  }
}
