import type { ObjectSink } from "@svc/kubernetes";
import { injectedLabel, markedConfig } from "../inject/marker.ts";
import { type PartedMap, partedMap } from "./parted-map.ts";

/** How many pods each SvcConfig has, kept by a list of pods and what happens to them after. */
export interface PodTally extends ObjectSink {
  /**
   * By `namespace/name`. A pod counts for the SvcConfig that its marker names, in any
   * namespace.
   */
  readonly counts: () => ReadonlyMap<string, number>;
}

/** The pods of one list. */
interface CountedPods {
  /** The number of its SvcConfig, by a pod's uid. */
  readonly configs: PartedMap<number>;
  /** How many pods each number has. */
  readonly counts: number[];
}

/**
 * Keeps the uid of a pod, and a number for its SvcConfig: 100,000 of them have some 15 MB. The
 * counts are kept up to date: counting 100,000 pods at once takes 10 ms.
 */
export function podTally(prefix: string): PodTally {
  const [annotation] = injectedLabel(prefix);
  const names: string[] = [];
  const numbers = new Map<string, number>();
  let current: CountedPods = { configs: partedMap(), counts: [] };
  let listed = current;
  const numberOf = (config: string): number => {
    const known = numbers.get(config);
    if (known !== undefined) return known;
    numbers.set(config, names.length);
    return names.push(config) - 1;
  };
  const add = ({ counts }: CountedPods, number: number, difference: number) => {
    counts[number] = (counts[number] ?? 0) + difference;
  };
  const remove = (pods: CountedPods, uid: string): void => {
    const number = pods.configs.get(uid);
    if (number !== undefined) add(pods, number, -1);
    pods.configs.delete(uid);
  };
  const put = (pods: CountedPods, pod: unknown): void => {
    const { uid, annotations } = Object(Object(pod).metadata);
    const marker: unknown = Object(annotations)[annotation];
    const config = typeof marker === "string" ? markedConfig(marker) : undefined;
    remove(pods, String(uid));
    if (config === undefined) return;
    const number = numberOf(config);
    pods.configs.set(String(uid), number);
    add(pods, number, 1);
  };
  return {
    begin: () => {
      listed = { configs: partedMap(), counts: [] };
    },
    add: (pods) => {
      for (const pod of pods) put(listed, pod);
    },
    end: () => {
      current = listed;
    },
    apply: (type, pod) => {
      // One that does not run any more is gone for a watch of those that run.
      if (type === "DELETED") remove(current, String(Object(Object(pod).metadata).uid));
      else put(current, pod);
      return true;
    },
    counts: () => new Map(names.map((name, number) => [name, current.counts[number] ?? 0])),
  };
}
