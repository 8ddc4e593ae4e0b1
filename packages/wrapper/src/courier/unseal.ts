import { sizeAndMap } from "@svc/kernel";
import { type ReadOutcome, type Secret, type VaultClient, VaultError } from "@svc/vault";
import { failuresOf } from "../errors.ts";
import type { Readiness } from "../health/readiness.ts";
import { openHttpServer } from "../http/engine/http-server.ts";
import type { TokenLife } from "../messages/courier-message.ts";
import { readStatusPage } from "../messages/status-page.ts";
import { engineOf } from "../settings/engine-traits.ts";
import { connect, vaultOf } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import { secretLock } from "./engine/secret-lock.ts";
import { readSources } from "./read-sources.ts";
import { regionLock } from "./region-lock.ts";
import { mapOrExplain } from "./secret-region.ts";
import { beginSession, readSession, type Session } from "./session-region.ts";
import { serveUnseal } from "./unseal-server/serve-unseal.ts";
import type { TokenCheck } from "./unseal-server/unseal-service.ts";

// A client waits for the answer.
const TIMEOUT_MS = 10_000;
const PAGE_BYTES = 4096;
const unpublished: Readiness = {
  status: "sealed",
  reason: "POST /v1/unseal has to bring a token",
};

/** Serves the health port of a sealed wrapper until a client has sent a working token. */
export async function unseal(context: CourierContext): Promise<void> {
  const { jobMessage, descriptors, log, say } = context;
  const session = readSession(context);
  tryToLock(context);
  const { health } = jobMessage.settings;
  if (health === undefined) throw new TypeError("a sealed wrapper without a health server");
  const keep = keepFirst(context, session);
  await serveUnseal({
    settings: health,
    view: {
      readiness: () => readStatusPage(descriptors.plan)?.readiness ?? unpublished,
      metrics: () => readStatusPage(descriptors.plan)?.metrics ?? "",
    },
    onAttempt: (result) => say({ kind: "unseal attempt", result }),
    log,
    openHttpServer,
    check: (token) =>
      check(context, token, keep).catch((error) => {
        for (const { code, message } of failuresOf(error)) log.error(message, { code });
        throw error;
      }),
  });
}

type Keep = (token: Secret, life: TokenLife | undefined) => void;

/**
 * Several may be tried at a time. A session is written once: the first token that works is kept.
 */
function keepFirst(context: CourierContext, session: Session): Keep {
  let isKept = false;
  return (token, life) => {
    if (isKept) return;
    isKept = true;
    beginSession(context, { ...session, token }, life);
  };
}

async function check(context: CourierContext, token: Secret, keep: Keep): Promise<TokenCheck> {
  const { requestTimeoutMs } = vaultOf(context);
  const deadlineMs = Math.max(TIMEOUT_MS, requestTimeoutMs);
  const client = connect(context, { maxAttempts: 1, deadlineMs });
  // The next attempt may be hours away.
  const tried = await tryToken(context, client, token).finally(secretLock.forget);
  if (tried.kind !== "accepted") return tried;
  keep(token, tried.life);
  return { kind: "accepted" };
}

/** A token that cannot be kept is not asked for. */
function tryToLock(context: CourierContext): void {
  const page = { fd: context.descriptors.region, kind: context.jobMessage.memoryKind };
  mapOrExplain(PAGE_BYTES, () => sizeAndMap(page, PAGE_BYTES, regionLock(context))).unmap();
}

type TriedToken =
  /** Without a life if the token may not look itself up. */
  | { readonly kind: "accepted"; readonly life?: TokenLife }
  | Exclude<TokenCheck, { readonly kind: "accepted" }>;

/**
 * A token works that the vault knows, and that may read every secret. One whose policies lack the
 * default one may not look itself up: it works if it may read, as VAULT_TOKEN does.
 */
async function tryToken(
  context: CourierContext,
  client: VaultClient,
  token: Secret,
): Promise<TriedToken> {
  const { jobMessage } = context;
  try {
    const life = await lifeOf(client, token);
    const sources = jobMessage.settings.secrets.sources.filter((source) => {
      const { canBeReread, isInVault } = engineOf(source);
      return canBeReread && isInVault;
    });
    const outcomes = await readSources(client, token, sources);
    const error = outcomes.map(problemOf).find((problem) => problem !== undefined);
    if (error !== undefined) throw error;
    if (!(life instanceof VaultError)) return { kind: "accepted", life };
    // Nothing was read that could show that the vault knows it.
    if (outcomes.length === 0) throw life;
    return { kind: "accepted" };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const { message, hint } = error;
    return error.code === "DENIED"
      ? { kind: "refused", message, hint }
      : { kind: "unavailable", message, hint };
  }
}

/** The refusal if the vault does not know the token, or that may not look itself up. */
async function lifeOf(client: VaultClient, token: Secret): Promise<TokenLife | VaultError> {
  try {
    const { ttlMs, renewable } = await client.lookupSelf(token);
    return { ttlMs, renewable, own: false };
  } catch (error) {
    if (error instanceof VaultError && error.code === "DENIED") return error;
    throw error;
  }
}

/** A secret that is missing is not the token's fault: the delivery will say so. */
function problemOf(outcome: ReadOutcome): VaultError | undefined {
  if (outcome.ok) return undefined;
  return outcome.error.code === "DENIED" || outcome.error.retryable ? outcome.error : undefined;
}
