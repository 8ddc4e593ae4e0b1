import type { AgentFacts } from "./agent-facts.ts";

/** Whether the agent fulfils its purpose. */
export type AgentReadiness =
  | { readonly status: "ready"; readonly tier: string }
  | {
      readonly status: "blind" | "stopping" | "unreachable";
      readonly reason: string;
      /** The way out, if it is known. */
      readonly hint?: string;
    };

/** The body of GET /status. */
export function statusPage(facts: AgentFacts, readiness: AgentReadiness): string {
  const { version, node, bootId, capabilities, surroundings, enforcementWanted } = facts;
  const { tier, mechanisms, kinds, unseen, refused, enforcement, rows, leakWindows, isPinned } =
    capabilities;
  const page = {
    version,
    node,
    bootId,
    readiness,
    kernel: surroundings,
    enforcement: {
      wanted: enforcementWanted,
      does: enforcement,
      outlivesTheAgent: isPinned,
      guardsOpenSeconds: Math.ceil(facts.guardsOpenMs / 1000),
    },
    rows,
    leakWindows,
    tier,
    mechanisms,
    kinds,
    unseen,
    refused,
    events: Object.fromEntries(facts.events),
    rings: {
      read: facts.pump.read,
      lost: {
        violations: Number(facts.drops.violations),
        everything: Number(facts.drops.everything),
      },
      inheritancesLost: Number(facts.drops.inheritances),
      unreadable: facts.pump.unreadable,
    },
    registrations: facts.registrations,
    versions: facts.versions.map(({ registration, named, ...versions }) => ({
      registration: String(registration),
      ...named,
      ...versions,
    })),
    swap: facts.swap,
    tokenFiles: facts.tokenFiles,
    ...(facts.policies && { policies: facts.policies }),
    ...(facts.platform && { platform: facts.platform }),
  };
  return `${JSON.stringify(page, undefined, 2)}\n`;
}
