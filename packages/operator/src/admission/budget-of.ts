import { parseGoDuration } from "@svc/settings";

/** What is kept for the way back and the API server's own work. */
const SHARE = 0.8;

/**
 * The milliseconds that an answer may take: of the time that the API server says it waits (`?timeout=10s`,
 * apiserver/pkg/admission/plugin/webhook), and never more than `mostMs`.
 */
export function budgetOf(url: URL, mostMs: number): number {
  const said = parseGoDuration(url.searchParams.get("timeout") ?? "");
  return said.ok && said.value > 0 ? Math.min(said.value * SHARE, mostMs) : mostMs;
}
