/** Test material of `@svc/agent`, and its inner parts that stories and benchmarks measure. */

export { eventOffsets } from "../events/event-layout.ts";
export { readDrops, sumAt } from "../monitor/drop-counters.ts";
export { isAtLeast } from "../monitor/kernel-release.ts";
export { ATTEMPTS_OF_EACH, measuredBy } from "../monitor/leak-windows.ts";
export { configBytes, observing } from "../monitor/monitor-config.ts";
export { readProbeTypes } from "../monitor/probe-types.ts";
export { taskMarks } from "../monitor/task-marks.ts";
export { openListener } from "../registration/open-listener.ts";
export { watchNoTokens } from "../registration/token-watch.ts";
export { unifiedRoot } from "../report/cgroup-directory.ts";
export { EventPump } from "../run/event-pump.ts";
export { findRuntimes, machineOf } from "../runtimes/find-runtimes.ts";
export { type AgentClient, openStream } from "./agent-client.ts";
export { eventLine } from "./event-line.ts";
export { publishVolume } from "./kubelet-client.ts";
export { type RecordingMarks, recordingMarks } from "./recording-marks.ts";
