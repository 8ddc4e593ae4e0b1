import type { FaultProxy } from "../harness/faults/fault-proxy.ts";
import type { RequestFault } from "../harness/faults/request-fault.ts";
import type { SeededRandom } from "../harness/faults/seeded-random.ts";
import { beginWeather, drawStretch, faultIn, type Weather } from "./weather.ts";

/** Faults by a seed: the same stretches of the same length for all wrappers. */
export interface FaultSchedule {
  /** For the proxy. */
  readonly faultOf: () => RequestFault | undefined;
  /** Faults so far, by their kind: one for each request, one for each stretch of another kind. */
  readonly counts: () => ReadonlyMap<string, number>;
  readonly total: () => number;
  /** Lets it rain until that many faults have been met with; the weather is fine afterwards. */
  readonly run: (faults: number, weather: ScheduleSurroundings) => Promise<void>;
}

/** The parts of the test to which the schedule does something. */
export interface ScheduleSurroundings {
  readonly proxy: FaultProxy;
  /** Stops some wrappers. The returned function lets them go on. */
  readonly stopSome: () => () => void;
  /** Called between two stretches. */
  readonly onPause: () => Promise<void>;
  /** The schedule ends then, with however many faults there were. */
  readonly limitMs: number;
}

/** Makes the schedule of a seed. The chances of requests and of stretches are drawn apart. */
export function faultSchedule(ofRequests: SeededRandom, ofStretches: SeededRandom): FaultSchedule {
  const counts = new Map<string, number>();
  const count = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const total = () => counts.values().reduce((sum, value) => sum + value, 0);
  let weather: Weather | undefined;
  return {
    counts: () => counts,
    total,
    faultOf: () => {
      const fault = faultIn(weather, ofRequests);
      if (fault !== undefined) count(nameOf(fault));
      return fault;
    },
    run: async (faults, { proxy, stopSome, onPause, limitMs }) => {
      const end = performance.now() + limitMs;
      while (total() < faults && performance.now() < end) {
        const stretch = drawStretch(ofStretches);
        weather = stretch.weather;
        if (weather.kind !== "showers" && weather.kind !== "storm") count(weather.kind);
        const finish = beginWeather(weather, proxy, stopSome);
        await Bun.sleep(stretch.ms);
        finish();
        weather = undefined;
        await onPause();
      }
    },
  };
}

function nameOf(fault: RequestFault): string {
  if (fault.kind !== "status") return fault.kind;
  return `${fault.status}${fault.retryAfterS === undefined ? "" : " with Retry-After"}`;
}
