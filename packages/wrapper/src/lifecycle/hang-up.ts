const PATIENCE_MS = 5000;

/** A courier's messages as far as they can be ended. */
export interface Hearable {
  hangUp(): void;
}

/**
 * Ends a courier's messages some time after nothing can be said any more: the runtime may not hear of the end
 * of a pipe, and a check that never ends would be the last one.
 *
 * @returns what to call when the messages have ended by themselves.
 */
export function hangUpAfter(courier: Hearable, silent: Promise<unknown>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  void silent.then(() => {
    if (!isOver) timer = setTimeout(() => courier.hangUp(), PATIENCE_MS);
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
