import {
  closeDescriptor,
  createPlainMemory,
  createSecretMemory,
  memoryLockLimit,
  type SecretMemory,
  type SecretMemoryKind,
  SyscallError,
  sizeAndMap,
  UnsupportedFeatureError,
} from "@svc/kernel";
import { isLockLimit, lockLimitMessage } from "../lock-limit-message.ts";

/** Mappings take whole pages: 4 KiB, and up to 64 KiB on arm64. */
const PAGE_BYTES = 4096;
const LARGEST_PAGE_BYTES = 64 << 10;

/** Why secrets are in ordinary memory. */
export interface Degradation {
  /** `kernel`: it has no memfd_secret. `limit`: this process may not lock enough memory for it. */
  readonly by: "kernel" | "limit";
  readonly message: string;
}

/**
 * Makes regions: the supervisor owns their descriptors, hands them to couriers and never reads
 * them. It makes ordinary memory if the kernel has no memfd_secret, or once that was found too
 * small.
 */
export class MemoryMaker {
  #degraded: Degradation | undefined;
  /** The region that showed that the kernel has memfd_secret. */
  #first: SecretMemory | undefined;

  constructor() {
    try {
      this.#first = createSecretMemory();
    } catch (error) {
      if (!(error instanceof UnsupportedFeatureError)) throw error;
      this.#degraded = { by: "kernel", message: error.message };
      return;
    }
    // Rarely: a login whose token has no place afterwards would be for nothing.
    if (memoryLockLimit() < LARGEST_PAGE_BYTES) this.#tryPage();
  }

  get kind(): SecretMemoryKind {
    return this.#degraded === undefined ? "memfd_secret" : "memfd";
  }

  /** Undefined if regions are memfd_secret. */
  get degraded(): Degradation | undefined {
    return this.#degraded;
  }

  /** An empty region. */
  make(): SecretMemory {
    if (this.#degraded !== undefined) return createPlainMemory("svc-secrets");
    const made = this.#first ?? createSecretMemory();
    this.#first = undefined;
    return made;
  }

  /** Makes ordinary memory from now on: memfd_secret counts against a limit that is too small. */
  degrade(message: string): void {
    this.#degraded ??= { by: "limit", message };
    if (this.#first !== undefined) closeDescriptor(this.#first.fd);
    this.#first = undefined;
  }

  #tryPage(): void {
    const page = createSecretMemory();
    try {
      sizeAndMap(page, PAGE_BYTES).unmap();
    } catch (error) {
      if (!(error instanceof SyscallError) || !isLockLimit(error)) throw error;
      this.degrade(lockLimitMessage("protect secrets", error, PAGE_BYTES));
    } finally {
      closeDescriptor(page.fd);
    }
  }
}
