/** `node:os` for tests on the engine: the folder of temporary files. It reads no environment. */
export function tmpdir(): string {
  return "/tmp";
}
