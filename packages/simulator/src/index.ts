/**
 * `@svc/simulator`: runs the wrapper's whole TypeScript on a simulated machine, on virtual time. A
 * seed decides the settings, the disturbances and the schedule. Each run is held against the
 * wrapper's promises.
 */

export { compileWrapper, type WrapperCode } from "./code/wrapper-code.ts";
export { plantedFaults } from "./planted/faults.ts";
export { plant } from "./planted/plant.ts";
export type { PlantedFault } from "./planted/planted-fault.ts";
export { invariants, type Run, runScenario, type Violation } from "./run-scenario.ts";
export { type FailedSeed, firstFailure, type Seeds } from "./run-seeds.ts";
export { isStorySeed, scenarioOf } from "./seeded-scenario.ts";
export { shrink } from "./shrink.ts";
export { tellStories } from "./tell-stories.ts";
export type { Scenario } from "./world/scenario.ts";
