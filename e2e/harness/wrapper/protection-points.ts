import { waitFor } from "@svc/testing";
import { healthAddress } from "./lifecycle-stage.ts";
import type { RunningWrapper } from "./wrapper-process.ts";

/** The protection score from a wrapper's metrics, after the measurement. */
export interface MeasuredScore {
  readonly score: number;
  readonly points: Readonly<Record<string, number>>;
  /** Those that are weaker than they could be. */
  readonly degraded: readonly string[];
}

/** Waits for the score; with `wanted`, for one of which that is true. The wrapper's log is JSON. */
export async function measuredScore(
  wrapper: RunningWrapper,
  wanted: (measured: MeasuredScore) => boolean = () => true,
): Promise<MeasuredScore> {
  const address = await healthAddress(wrapper);
  return waitFor(
    async () => {
      const measured = read(await (await fetch(`${address}/metrics`)).text());
      return measured !== undefined && wanted(measured) ? measured : undefined;
    },
    { deadlineMs: 10_000, what: "the protection score" },
  );
}

function read(metrics: string): MeasuredScore | undefined {
  const score = /^svc_wrapper_protection_score (\d+)$/m.exec(metrics)?.[1];
  if (score === undefined) return undefined;
  const of = (name: string) =>
    [
      ...metrics.matchAll(
        new RegExp(`^svc_wrapper_${name}\\{protection="(\\w+)"\\} (\\d+)$`, "gm"),
      ),
    ].map(([, protection = "", value]) => [protection, Number(value)] as const);
  return {
    score: Number(score),
    points: Object.fromEntries(of("protection_points")),
    degraded: of("degraded")
      .filter(([, weak]) => weak === 1)
      .map(([protection]) => protection),
  };
}
