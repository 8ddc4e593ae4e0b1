/** True when servers can be given to another user. */
export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}
