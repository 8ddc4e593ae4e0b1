import {
  areSecretsLocked,
  closeIdleConnections,
  collectGarbage,
  limitConnections,
  requireLockedSecrets,
  yieldSecretLocks,
} from "svc:engine";
import { asSyscallError, memoryLockLimit, SyscallError } from "@svc/kernel";
import { exitCodeOf, failure, WrapperError } from "../../errors.ts";
import { aboutLockLimit, lockLimitMessage } from "../../lock-limit-message.ts";
import { messageBytes } from "../../messages/courier-message.ts";
import { connectionsWithin, MOST_CONNECTIONS } from "../connections-within.ts";
import type { CourierContext } from "../courier-context.ts";
import type { SecretLock } from "../secret-lock.ts";

/** The least that a fetch takes: the host's first pages, and a page for each of two regions. */
const LEAST_BYTES = 24 << 10;
const NUMBER = "{bytes}";

/** The host keeps secrets in separate pages, and locks each before it is used. */
export const secretLock: SecretLock = {
  begin({ jobMessage, descriptors }) {
    const { requireMlock } = jobMessage.settings.memory;
    if (requireMlock) require(descriptors.report);
    const connections = connectionsWithin(memoryLockLimit());
    if (connections === MOST_CONNECTIONS) return;
    // A fetch over one connection may still fit; HTTP/2 has larger buffers.
    limitConnections(requireMlock ? connections : MOST_CONNECTIONS);
  },
  isWhole: areSecretsLocked,
  forget() {
    closeIdleConnections();
    collectGarbage();
  },
  makeRoom: yieldSecretLocks,
};

function require(report: CourierContext["descriptors"]["report"]): void {
  try {
    requireLockedSecrets({ fd: report, ...lastWords() });
  } catch (error) {
    const refused = asSyscallError(error);
    if (!(refused instanceof SyscallError)) throw error;
    const message = lockLimitMessage("lock memory", refused, LEAST_BYTES);
    throw new WrapperError([failure("MLOCK_FAILED", message)], refused);
  }
}

/** The report of a courier for which the limit is too small, except for the number of bytes. */
function lastWords() {
  const limit = aboutLockLimit(memoryLockLimit());
  const needed = `lock memory: at least ${NUMBER} bytes of locked memory are needed for the vault's answers`;
  const failures = [failure("MLOCK_FAILED", `${needed}, ${limit}`)];
  const text = new TextDecoder().decode(messageBytes({ kind: "failed", failures }));
  const [before = "", behind = ""] = text.split(NUMBER);
  const encoder = new TextEncoder();
  return {
    before: encoder.encode(before),
    behind: encoder.encode(behind),
    status: exitCodeOf(failures),
  };
}
