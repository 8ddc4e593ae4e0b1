/** `node:os` for tests on the engine: where temporary files go. It reads no environment. */
export function tmpdir(): string {
  return "/tmp";
}
