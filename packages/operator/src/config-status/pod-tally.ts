import type { ObjectSink } from "@svc/kubernetes";
import { injectedLabel, markedConfig } from "../inject/marker.ts";

/** How many pods each SvcConfig has, kept by a list of pods and what happens to them after. */
export interface PodTally extends ObjectSink {
  /**
   * By `namespace/name`. A pod counts for the SvcConfig that its marker names, in whichever
   * namespace it is.
   */
  readonly counts: () => ReadonlyMap<string, number>;
}

/**
 * Of a pod is kept which SvcConfig it has, as a number, and its uid: 100,000 of them have some 15
 * MB.
 */
export function podTally(prefix: string): PodTally {
  const [annotation] = injectedLabel(prefix);
  const names: string[] = [];
  const numbers = new Map<string, number>();
  let configs = new Map<string, number>();
  let listed = configs;
  const numberOf = (config: string): number => {
    const known = numbers.get(config);
    if (known !== undefined) return known;
    numbers.set(config, names.length);
    return names.push(config) - 1;
  };
  const put = (pods: Map<string, number>, pod: unknown): void => {
    const { uid, annotations } = Object(Object(pod).metadata);
    const marker: unknown = Object(annotations)[annotation];
    const config = typeof marker === "string" ? markedConfig(marker) : undefined;
    if (config === undefined) pods.delete(String(uid));
    else pods.set(String(uid), numberOf(config));
  };
  return {
    begin: () => {
      listed = new Map();
    },
    add: (pods) => {
      for (const pod of pods) put(listed, pod);
    },
    end: () => {
      configs = listed;
    },
    apply: (type, pod) => {
      // One that does not run any more is gone for a watch of those that run.
      if (type === "DELETED") configs.delete(String(Object(Object(pod).metadata).uid));
      else put(configs, pod);
      return true;
    },
    counts: () => {
      const counted = new Uint32Array(names.length);
      for (const number of configs.values()) counted[number] = (counted[number] ?? 0) + 1;
      return new Map(names.map((name, number) => [name, counted[number] ?? 0]));
    },
  };
}
