import type { FaultProxy } from "../harness/faults/fault-proxy.ts";
import { drawFault, type RequestFault } from "../harness/faults/request-fault.ts";
import type { SeededRandom } from "../harness/faults/seeded-random.ts";

/** A stretch of time in which one kind of thing goes wrong. */
export type Weather =
  /** A part of the requests meets with a separate fault. */
  | { readonly kind: "showers"; readonly part: number }
  /** Every request meets with the same fault. */
  | { readonly kind: "storm"; readonly fault: RequestFault }
  | { readonly kind: "refused connections" }
  | { readonly kind: "held traffic" }
  /** Some wrappers are stopped, as if their machine were: their clock jumps. */
  | { readonly kind: "stopped wrappers" };

/** A drawn stretch. */
export interface Stretch {
  readonly weather: Weather;
  readonly ms: number;
}

/** Draws the next stretch of the schedule. */
export function drawStretch(random: SeededRandom): Stretch {
  if (random.next() < 0.5) {
    const weather = { kind: "showers", part: random.between(0.2, 0.7) } as const;
    return { weather, ms: random.between(1000, 3000) };
  }
  const storm = (fault: RequestFault): Weather => ({ kind: "storm", fault });
  const { weather, mostMs } = random.pick<{ readonly weather: Weather; readonly mostMs: number }>([
    { weather: storm({ kind: "status", status: 500 }), mostMs: 1200 },
    { weather: storm({ kind: "status", status: 503 }), mostMs: 1200 },
    { weather: storm({ kind: "status", status: 429, retryAfterS: 1 }), mostMs: 1200 },
    { weather: storm({ kind: "black hole" }), mostMs: 300 },
    { weather: storm({ kind: "slow bytes", pauseMs: 30 }), mostMs: 1200 },
    { weather: { kind: "refused connections" }, mostMs: 2500 },
    { weather: { kind: "held traffic" }, mostMs: 2500 },
    { weather: { kind: "stopped wrappers" }, mostMs: 1500 },
  ]);
  return { weather, ms: random.between(mostMs / 5, mostMs) };
}

/** Draws the fault of a request in this weather. */
export function faultIn(weather: Weather | undefined, random: SeededRandom) {
  switch (weather?.kind) {
    case "showers":
      return random.next() < weather.part ? drawFault(random) : undefined;
    case "storm":
      return weather.fault;
    default:
      return undefined;
  }
}

/** Begins a stretch of weather that does not act on requests. The returned function ends it. */
export function beginWeather(
  { kind }: Weather,
  proxy: FaultProxy,
  stopSome: () => () => void,
): () => void {
  switch (kind) {
    case "refused connections":
      proxy.refuse();
      return proxy.accept;
    case "held traffic":
      proxy.hold();
      return proxy.release;
    case "stopped wrappers":
      return stopSome();
    case "showers":
    case "storm":
      return () => undefined;
  }
}
