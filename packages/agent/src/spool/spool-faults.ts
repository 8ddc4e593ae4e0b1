/** The failed disk operations of a spool. */
export type SpoolAction = "write" | "read" | "sync" | "keep the mark";

/** A fault of the disk, by the name of its errno. */
export interface SpoolFault {
  readonly action: SpoolAction;
  readonly code: string;
}

/** Reports a fault once, and again after the action has worked or fails in another way. */
export class SpoolFaults {
  readonly #onFault: ((fault: SpoolFault) => void) | undefined;
  readonly #told = new Map<SpoolAction, string>();

  constructor(onFault: ((fault: SpoolFault) => void) | undefined) {
    this.#onFault = onFault;
  }

  failed(action: SpoolAction, error: unknown): void {
    const code = codeOf(error);
    if (this.#told.get(action) === code) return;
    this.#told.set(action, code);
    this.#onFault?.({ action, code });
  }

  worked(action: SpoolAction): void {
    this.#told.delete(action);
  }
}

/** No room, or no more of it for this user: the oldest records can make some. */
export function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(codeOf(error));
}

/** The file was removed. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
