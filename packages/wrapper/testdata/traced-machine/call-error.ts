/** A call that fails with an errno. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly errno: number;

  constructor(errno: number) {
    super(`errno ${errno}`);
    this.errno = errno;
  }
}
