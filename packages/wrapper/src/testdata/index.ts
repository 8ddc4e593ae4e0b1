/** Test material of `@svc/wrapper`, and its inner parts that stories and benchmarks measure. */

export type { FilledRegion, SecretEntry } from "../courier/delivery.ts";
export { type ReloadableMemory, writeGeneration } from "../courier/refresh-region.ts";
export { fillRegion } from "../courier/secret-region.ts";
export type { InjectionPlan } from "../delivery-plan.ts";
export { parseSettings, type SettingsResult } from "../settings.ts";
export type { PlacedGeneration } from "../tracer/placement.ts";
export type { RepointedProcess } from "../tracer/placements.ts";
export { startTracing } from "../tracer/start-tracing.ts";
export { Tracer } from "../tracer/tracer.ts";
export { closed } from "./outcomes.ts";
