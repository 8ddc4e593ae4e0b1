import { type BpfObject, type LoadedPrograms, loadPrograms } from "@svc/kernel";
import type { EventMechanism } from "../events/audit-event.ts";
import { isAtLeast } from "./kernel-release.ts";
import { configBytes, type MonitorConfig, observing } from "./monitor-config.ts";
import type { MonitorOptions } from "./monitor-options.ts";
import { monitorPrograms, REFUSING_PROGRAM } from "./monitor-programs.ts";
import { readProbeTypes } from "./probe-types.ts";
import { attachToCalls } from "./refused-calls.ts";

/** A multiple of the page's size on every machine. */
const UNUSED_RING_BYTES = 64 * 1024;

const CALLS = "watch_syscalls";

/** How a tier's programs are loaded. */
export interface TierOptions extends MonitorOptions {
  readonly tier: EventMechanism;
  /** Called when the object is loaded, before anything is attached. */
  readonly prepare: (object: BpfObject) => void;
}

/** The part of a tier that the kernel accepted. */
export interface LoadedTier extends LoadedPrograms {
  /** False if `watch_syscalls` is attached and cannot follow pids: `refused` says why, then. */
  readonly watchesTargets: boolean;
}

/**
 * Loads all programs of a mechanism. A program that the kernel refuses is replaced by another that
 * sees the same attempts.
 */
export function loadTier(options: TierOptions): LoadedTier {
  const { tier } = options;
  const wanted = programsOf(options);
  const whole = tryPrograms(options, wanted);
  const missing = whole.refused.map(({ program }) => program);
  if (missing.length === 0) return { ...whole, watchesTargets: true };
  const { programs, changes } = substitutes(tier, missing);
  if (programs.length === 0 && Object.keys(changes).length === 0) {
    return { ...whole, watchesTargets: true };
  }
  whole.object.close();
  const keepsAll = tier === "tracing" || tier === "override";
  const rest = keepsAll ? wanted : wanted.filter((name) => !missing.includes(name));
  const second = tryPrograms(options, [...rest, ...programs], changes);
  const watchesTargets = changes.watchTargets !== false;
  const known = new Set([...second.attached, ...second.refused.map(({ program }) => program)]);
  // Half of its kinds are still missing.
  if (second.attached.includes(CALLS) && !watchesTargets) known.delete(CALLS);
  const before = whole.refused.filter(({ program }) => !known.has(program));
  return { ...second, refused: [...before, ...second.refused], watchesTargets };
}

interface Substitutes {
  readonly programs: readonly string[];
  readonly changes: Partial<MonitorConfig>;
}

/** The replacements of programs that the kernel refuses. */
function substitutes(tier: EventMechanism, missing: readonly string[]): Substitutes {
  switch (tier) {
    case "lsm":
      return { programs: missing.map((name) => name.replace(/_lsm$/, "_fmod_ret")), changes: {} };
    case "fmod_ret": {
      const knowsFiles = !missing.includes("file_open_fmod_ret");
      return { programs: [], changes: knowsFiles ? {} : { accessByCheck: true } };
    }
    case "override":
    case "tracing": {
      const seesTargets = !missing.includes(CALLS);
      const seesMemory = !missing.includes("watch_memory");
      const changes = {
        ...(!seesTargets && { watchTargets: false }),
        ...(!seesMemory && { watchMemory: false }),
      };
      return { programs: [], changes };
    }
  }
}

/**
 * Tracing programs carry protection to new tasks, and go with every mechanism. Override programs
 * refuse the attempts that tracing programs object to.
 */
function programsOf({ tier, policy, surroundings }: TierOptions): readonly string[] {
  const stops = policy.stopped !== 0n;
  const carries = tier === "override" ? "tracing" : tier;
  return monitorPrograms
    .filter(({ isGuard = false }) => stops || !isGuard)
    .filter(({ since }) => since === undefined || isAtLeast(surroundings.kernel, ...since))
    .filter(
      ({ mechanism, kinds, goesWithAll = false }) =>
        mechanism === tier ||
        mechanism === carries ||
        goesWithAll ||
        (mechanism === "tracing" && kinds.length === 0),
    )
    .map(({ name }) => name);
}

function tryPrograms(
  options: TierOptions,
  programs: readonly string[],
  changes: Partial<MonitorConfig> = {},
): LoadedPrograms {
  const { watchNode, logAll, surroundings, tier, pins, policy, dryRun, prepare } = options;
  const confidential = surroundings.lockdown === "confidentiality";
  const isByCalls = tier === "tracing" || tier === "override";
  const config: MonitorConfig = {
    ...observing,
    ...{ watchNode, logAll, readKernel: !confidential, watchTargets: isByCalls },
    ...{ watchUses: isByCalls && policy.stopped !== 0n, override: tier === "override" },
    watchMemory: isByCalls,
    ...policy,
    deadlineNs: BigInt(options.guardDeadlineMs) * 1_000_000n,
    mountNamespace: options.runtimes.mountNamespace,
    probes: readProbeTypes(),
    dryRun,
    ...(pins && { pins: pins.inode }),
    ...changes,
  };
  return loadPrograms(options.object, {
    programs,
    prepare,
    constants: { ".rodata.config": configBytes(config) },
    // Every page of a ring is resident twice.
    ...(!logAll && { mapEntries: { everything: UNUSED_RING_BYTES } }),
    ...(pins && { mapPins: pins.maps }),
    attach: (object, program) => {
      if (program === REFUSING_PROGRAM) attachToCalls(object, program);
      else object.attach(program);
    },
  });
}
