/** Kubernetes' default for a pod, in seconds. The wrapper's default fits it. */
const DEFAULT_GRACE = 30;
/** The wrapper's time to report the program's end, in seconds. */
const RESERVE = 5;

/** The longest that the wrapper takes, 596h31m23.647s: the limit of its timer. */
const LONGEST = 2_147_483;

/**
 * SVC_STOP_GRACE for a pod: less than the time after which the kubelet kills all, so that the
 * wrapper outlives the program. A database with minutes of grace gets minutes, not 25 s. Undefined
 * if the wrapper's default fits.
 */
export function stopGrace(
  terminationGracePeriodSeconds: number | null | undefined,
): string | undefined {
  const grace = terminationGracePeriodSeconds ?? DEFAULT_GRACE;
  if (grace === DEFAULT_GRACE) return undefined;
  if (grace >= RESERVE * RESERVE) return `${Math.min(grace - RESERVE, LONGEST)}s`;
  return `${Math.max(0, grace) * 800}ms`;
}
