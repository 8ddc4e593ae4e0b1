import { readFileSync } from "node:fs";
import type { ProbeTypes } from "./monitor-config.ts";

/** The numbers in sysfs (perf_event_open(2), "Dynamic PMUs"); zeros without such a file. */
export function readProbeTypes(): ProbeTypes {
  return { uprobe: typeOf("uprobe"), kprobe: typeOf("kprobe") };
}

function typeOf(name: string): number {
  try {
    const text = readFileSync(`/sys/bus/event_source/devices/${name}/type`, "latin1");
    return /^\d+\s*$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}
