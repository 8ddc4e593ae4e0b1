import { parseGoDuration } from "@svc/settings";
import type { Container } from "../pod/pod.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** As far as Kubernetes can count: 68 years. */
export const LONGEST_SECONDS = 2_147_483_647;
/** The default SVC_START_DEADLINE of a wrapper. */
const DEADLINE_MS = 120_000;
/** The wrapper's own start and its last try, on a processor that many share. */
const RESERVE_SECONDS = 60;

/**
 * The longest that a container's wrapper waits before its program runs or it ends by itself, in
 * seconds. A sealed one waits for a token without an end, and so may one whose deadline only the
 * node knows.
 */
export function longestWait(
  container: Container,
  { values }: InjectionSettings,
  isSealed: boolean,
): number {
  if (isSealed) return LONGEST_SECONDS;
  const own = setsVariable(container, "SVC_START_DEADLINE");
  const text = own ? ownText(container, "SVC_START_DEADLINE") : undefined;
  if (own && text === undefined) return LONGEST_SECONDS;
  const parsed = parseGoDuration(text ?? "");
  const deadlineMs = parsed.ok ? parsed.value : (values.startDeadline ?? DEADLINE_MS);
  // The agent is waited for after the vault.
  const waits = setsVariable(container, "SVC_REQUIRE_AGENT") ? 2 : 1;
  return Math.min(Math.ceil(deadlineMs / 1000) * waits + RESERVE_SECONDS, LONGEST_SECONDS);
}

/** How many failures of a probe fit into a time; both in seconds. */
export function failuresWithin(waitSeconds: number, periodSeconds: number): number {
  return Math.min(Math.ceil(waitSeconds / Math.max(periodSeconds, 1)), LONGEST_SECONDS);
}
