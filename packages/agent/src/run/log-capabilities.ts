import type { Log } from "@svc/logging";
import type { BlindnessCause } from "../monitor/blindness.ts";
import type { Capabilities } from "../monitor/capabilities.ts";
import type { LeakWindow } from "../monitor/leak-windows.ts";
import type { StopOutcome } from "../monitor/stop-rows.ts";
import { type Surroundings, TYPES_FILE } from "../monitor/surroundings.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";

/**
 * Logs at the start the coverage on this kernel, with the mechanisms, and the missing requirements.
 */
export function logCapabilities(
  log: Log,
  { capabilities, surroundings, cause }: Seen,
  settings: Pick<AgentSettings, "enforce" | "dryRun">,
): void {
  const { tier, mechanisms, kinds, unseen, refused } = capabilities;
  const level = tier === "none" ? "error" : "info";
  const message =
    tier === "none"
      ? "the kernel lets no program in: nothing is seen, and registrations are taken all the same"
      : "attempts on registered processes are seen";
  log(level, message, { tier, kernel: surroundings.kernel, ...cause });
  for (const [mechanism, { state, reason }] of Object.entries(mechanisms)) {
    log("info", "mechanism", { mechanism, state, reason });
  }
  if (tier !== "none") log("info", "coverage", { kinds, unseen });
  for (const { program, reason } of refused) {
    log("warn", "the kernel refuses a BPF program: its kinds of events are not covered", {
      program,
      reason,
    });
  }
  for (const advice of advices(surroundings, tier)) log("warn", advice);
  if (settings.enforce && settings.dryRun) log("warn", "a dry run: nothing is stopped", {});
  else if (settings.enforce) logEnforcement(log, capabilities);
}

/** Logs the enforced kinds, and the requested ones that are not enforced. */
function logEnforcement(
  log: Log,
  { enforcement, rows, leakWindows, isPinned }: Capabilities,
): void {
  const named = (outcome: StopOutcome) =>
    Object.entries(rows).flatMap(([row, found]) => (found === outcome ? [row] : []));
  const facts = { blocked: named("blocked"), killed: named("killed"), seen: named("seen") };
  const detected = named("detected");
  const notCovered = named("not covered");
  const said = {
    refuse: ["info", "attempts are refused"],
    kill: [
      "warn",
      "the agent kills the actor, which may be too late: this kernel can refuse nothing",
    ],
    none: ["error", "ENFORCE_MODE is set, and nothing is stopped on this kernel"],
  } as const;
  const [level, message] = said[enforcement];
  const rowsWhere = (holds: (window: LeakWindow) => boolean) =>
    Object.entries(leakWindows).flatMap(([row, window]) => (holds(window) ? [row] : []));
  const leaked = rowsWhere((window) => window !== "not measured" && window.hadIt > 0);
  const unmeasured = rowsWhere((window) => window === "not measured");
  log(level, message, {
    ...{ ...facts, notCovered },
    ...(detected.length > 0 && { killedInVain: detected }),
    // The rows in which a killed actor already had the secret when it was measured.
    ...(leaked.length > 0 && { killedTooLate: leaked }),
    ...(unmeasured.length > 0 && { killedAndNotMeasured: unmeasured }),
  });
  if (!isPinned && enforcement !== "none") {
    log("warn", "the protection ends with the agent: /sys/fs/bpf has no BPF file system", {
      hint: "mount -t bpf bpf /sys/fs/bpf",
    });
  }
}

interface Seen {
  readonly capabilities: Capabilities;
  readonly surroundings: Surroundings;
  /** Why it sees nothing. */
  readonly cause?: BlindnessCause;
}

/** Logs the changes that would increase the coverage. */
function advices(surroundings: Surroundings, tier: Capabilities["tier"]): readonly string[] {
  const { btf, lockdown, machinePids, missingCapabilities, bpfInLsm } = surroundings;
  const found: string[] = [];
  if (!btf && tier === "none") {
    found.push(`the kernel has no types (${TYPES_FILE}): CONFIG_DEBUG_INFO_BTF`);
  }
  if (missingCapabilities.length > 0) {
    found.push(`the agent lacks ${missingCapabilities.join(", ")}`);
  }
  if (!machinePids) {
    found.push(
      "the agent is in a separate pid namespace (hostPID, docker --pid=host): events do not have the executables of processes",
    );
  }
  if (lockdown === "confidentiality" && tier === "none") {
    found.push("the kernel is locked down for confidentiality, which may forbid programs");
  }
  if (bpfInLsm === false && tier !== "lsm")
    found.push("bpf is not in lsm= of the kernel's command line");
  return found;
}
