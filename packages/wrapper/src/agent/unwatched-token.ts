import { pathStatus, SyscallError } from "@svc/kernel";
import type { Logger } from "../log.ts";
import { loginFacts, type VaultAuth } from "../settings/vault-auth.ts";
import type { Hello } from "./agent-messages.ts";

/** The wrapper's part that the warning needs. */
export interface TokenWords {
  /** As the Hello has it. */
  readonly tokenPath?: string | undefined;
  readonly log: Pick<Logger, "warn">;
}

/** The file of the service account token by which the wrapper logs in to the vault. */
export function tokenPathOf(auth: VaultAuth | undefined): string | undefined {
  return loginFacts(auth).jwtPath;
}

/**
 * Describes the file for a Hello. Each call reads the inode, because the kubelet replaces the file.
 */
export function tokenWords(
  tokenPath: string,
): Pick<Hello, "tokenPath" | "tokenDevice" | "tokenInode"> {
  const unknown = { tokenPath, tokenDevice: 0, tokenInode: 0n };
  if (tokenPath === "") return unknown;
  try {
    const { device, inode } = pathStatus(tokenPath);
    return { tokenPath, tokenDevice: device, tokenInode: inode };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    // The courier reports the missing file.
    return unknown;
  }
}

/**
 * Makes the warning that the agent does not report openings of the token's file. It takes the
 * reason of every Welcome, and logs each reason once.
 */
export function warnOfUnwatchedToken({ tokenPath, log }: TokenWords): (reason: string) => void {
  const logged = new Set<string>();
  return (reason) => {
    if (tokenPath === undefined || reason === "" || logged.has(reason)) return;
    logged.add(reason);
    log.warn(`the kernel agent does not report openings of the token's file: ${reason}`, {
      file: tokenPath,
      hint: "with the operator's tokenSource: agent, the pod has no file of the token",
    });
  };
}
