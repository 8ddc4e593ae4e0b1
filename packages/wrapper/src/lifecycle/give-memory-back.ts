/** What some work needed and the waiting does not: between its checks the supervisor is idle. */
export function giveMemoryBack(): void {
  Bun.gc(true);
  Bun.shrink();
}
