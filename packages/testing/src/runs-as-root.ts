/** True for root, who can also give servers to another user and make namespaces. */
export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}
