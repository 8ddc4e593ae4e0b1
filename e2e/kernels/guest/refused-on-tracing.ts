import { startAgentStage } from "../../harness/agent/agent-stage.ts";

/**
 * The programs of the tier `tracing` that this kernel refuses, and why; with the parts that stop
 * attempts, and without. A guest whose kernel has hooks takes another tier, and would load none. As
 * the agent does, it does without the targets of calls if the kernel cannot find them.
 */
export function refusedOnTracing(): readonly string[] {
  return [false, true].flatMap((stops) => {
    using whole = startAgentStage({ watchNode: true, stops });
    if (!whole.refused.some((text) => text.startsWith("watch_syscalls:"))) return whole.refused;
    using rest = startAgentStage({ watchNode: true, stops, watchTargets: false });
    return rest.refused;
  });
}
