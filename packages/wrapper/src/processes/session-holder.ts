import { closeDescriptor, type SecretMemory, type SecretMemoryKind } from "@svc/kernel";
import { dueTime, expiryOf, type HeldTokenLife } from "../life/renewal-time.ts";
import type { TokenLife } from "../messages/courier-message.ts";
import { digestKeyLength } from "../session.ts";

/**
 * The session as the supervisor knows it: a descriptor and a length, and how long the token lives.
 */
export class SessionHolder {
  #memory: SecretMemory;
  #lengthBytes: number;
  #token: HeldTokenLife | undefined;
  #tokenIsDead = false;

  /** @param lengthBytes 0 if no session has begun. */
  constructor(memory: SecretMemory, lengthBytes: number) {
    this.#memory = memory;
    this.#lengthBytes = lengthBytes;
  }

  get fd(): number {
    return this.#memory.fd;
  }

  get memoryKind(): SecretMemoryKind {
    return this.#memory.kind;
  }

  get lengthBytes(): number {
    return this.#lengthBytes;
  }

  get hasToken(): boolean {
    return this.#lengthBytes > digestKeyLength && !this.#tokenIsDead;
  }

  /** Notes that the token is worth nothing; the digest key stays. */
  giveTokenUp(): void {
    this.#tokenIsDead = true;
    this.#token = undefined;
  }

  /** Undefined while no courier has asked the vault. */
  get token(): HeldTokenLife | undefined {
    return this.#token;
  }

  /** Takes a new session in the place of the one before, whose memory goes back to the kernel. */
  replace(memory: SecretMemory, lengthBytes: number): void {
    closeDescriptor(this.#memory.fd);
    this.#memory = memory;
    this.#lengthBytes = lengthBytes;
    this.#tokenIsDead = false;
    this.#token = undefined;
  }

  /** Notes how long the token lives from `nowMs` on. */
  learn(life: TokenLife, nowMs: number, random: number): void {
    const full = Math.max(life.ttlMs, this.#token?.fullTtlMs ?? 0);
    this.#token = {
      ...life,
      fullTtlMs: full,
      expiresAtMs: expiryOf(life.ttlMs, nowMs),
      renewAtMs: dueTime(life.ttlMs, nowMs, random),
    };
  }
}
