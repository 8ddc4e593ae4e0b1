import type { EnforcementTier } from "../agent/agent-messages.ts";
import type { Protection } from "../health/wrapper-facts.ts";
import { deliveryTraits } from "../program/delivery-traits.ts";
import type {
  AgentFinding,
  ProtectionFacts,
  Unmeasured,
  ValuesFinding,
} from "./protection-facts.ts";

/** How far a protection was found to hold. */
export interface Judgement {
  readonly points: number;
  readonly found: string;
}

/** One protection: its points, and its judgement. */
export interface ProtectionItem {
  readonly protection: Protection;
  readonly most: number;
  readonly wanted: string;
  /** The examined facts. */
  readonly measured: string;
  readonly hint: string;
  /** The audience of the hint: the application's team, or the nodes' administrator. */
  readonly by: "application" | "node";
  /** Points from 0 to `most`. */
  readonly judge: (facts: ProtectionFacts, most: number) => Judgement;
}

/**
 * Every protection that counts; together they are 100. docs/reference/protection.md is made from
 * it.
 */
export const protectionItems: readonly ProtectionItem[] = [
  {
    protection: "memfd_secret",
    most: 15,
    wanted: "the program's values are in pages that the kernel has removed from its own map",
    measured:
      "the region in /proc/PID/smaps of the program, by the file that it is a mapping of; if that may not be read, the kernel's answers when the tracer mapped it",
    hint: "Linux 6.5, or 5.14 booted with secretmem.enable=1, and another delivery than env",
    by: "node",
    judge: ({ values }, most) => judgeMemory(values, most),
  },
  {
    protection: "mlock",
    most: 10,
    wanted: "no page with values can be swapped, in the program and in the courier before it",
    measured:
      "`lo` of VmFlags there, which memfd_secret has by itself; and mlock2(2) of the courier's pages for secrets",
    hint: "give the container CAP_IPC_LOCK, or raise RLIMIT_MEMLOCK",
    by: "application",
    judge: ({ values, courierLocked }, most) => judgeLocks(values, courierLocked, most),
  },
  {
    protection: "core_dumps",
    most: 5,
    wanted: "the pages with values are in no core dump",
    measured:
      "`dd` of VmFlags there; with env, coredump_filter and the core limit of the program, and core_pattern",
    hint: "another delivery than env; or a core limit of 0 and a core_pattern that is not a pipe",
    by: "application",
    judge: ({ values }, most) => judgeDumps(values, most),
  },
  {
    protection: "dumpable",
    most: 5,
    wanted: "the program refuses ptrace and /proc/PID/mem to processes without CAP_SYS_PTRACE",
    measured: "the owner of /proc/PID/environ of the program",
    hint: "run the program as another user than root, and let it call prctl(PR_SET_DUMPABLE, 0)",
    by: "application",
    judge: ({ dumpable }, most) => {
      if (dumpable.kind === "unmeasured") return unmeasured(dumpable);
      const isDumpable = dumpable.kind === "yes";
      return held(!isDumpable, most, isDumpable ? "it is dumpable" : "it is not dumpable");
    },
  },
  {
    protection: "token",
    most: 10,
    wanted: "the vault's token is in memfd_secret pages of a wrapper that is not dumpable",
    measured:
      "the memory of the session region, the wrapper's own environment, and PR_GET_DUMPABLE of the wrapper",
    hint: "VAULT_AUTH_METHOD=kubernetes, or POST /v1/unseal; and a kernel with memfd_secret",
    by: "application",
    judge: ({ token }, most) => {
      if (token.kind === "exposed") return { points: 0, found: token.where };
      const found = token.kind === "none" ? "no token is kept" : "it is in memfd_secret pages";
      return { points: most, found };
    },
  },
  {
    protection: "environ",
    most: 10,
    wanted: "no value is in /proc/PID/environ",
    measured:
      "/proc/PID/environ of the program: each variable of the delivery is a placeholder, empty, or absent. The same for programs that it has started, if the wrapper hears of them",
    hint: "another delivery than env, and SVC_FOLLOW=notify for the programs that yours starts: docs/guides/delivery.md",
    by: "application",
    judge: ({ environ }, most) => {
      switch (environ.kind) {
        case "clean":
          return { points: most, found: "names only" };
        case "values":
          return { points: 0, found: `variables with values: ${environ.variables}` };
        case "started programs":
          return {
            points: 0,
            found: `programs that it has started with values: ${environ.programs}`,
          };
        case "unmeasured":
          return unmeasured(environ);
      }
    },
  },
  {
    protection: "delivery",
    most: 15,
    wanted: "library or inject (15), or preload (10)",
    measured: "the delivery that was taken",
    hint: "the log says why the deliveries above were not taken, and so does svc-wrapper --explain",
    by: "application",
    judge: ({ delivery }) => ({ points: deliveryTraits[delivery].points, found: delivery }),
  },
  {
    protection: "agent",
    most: 10,
    wanted: "the kernel agent is connected and has registered the program",
    measured: "the connection, and the agent's answer for this program",
    hint: "run svc-agent on the node, and set SVC_EBPF_AGENT_ADDR",
    by: "node",
    judge: ({ agent }, most) => {
      const found = describeAgent(agent);
      return held(agent.kind === "connected" && agent.registered, most, found);
    },
  },
  {
    protection: "enforcement",
    most: 15,
    wanted: "the kernel agent refuses attempts before they are done (its tier is enforce)",
    measured: "the tier that the agent announces",
    hint: "set ENFORCE_MODE=true for the agent: docs/guides/stop-the-attempts.md",
    by: "node",
    judge: ({ agent }, most) => {
      if (agent.kind !== "connected") return { points: 0, found: describeAgent(agent) };
      const isWhole = agent.registered && agent.tier === "enforce";
      return held(
        isWhole,
        most,
        agent.registered ? describeTier(agent.tier) : describeAgent(agent),
      );
    },
  },
  {
    protection: "cpu",
    most: 5,
    wanted: "the kernel counters every attack on this processor that it knows",
    measured: "/sys/devices/system/cpu/vulnerabilities: no file says `Vulnerable` or `Unknown`",
    hint: "update the kernel and the microcode, and boot without mitigations=off",
    by: "node",
    judge: ({ cpu }, most) => {
      if (cpu.kind === "unmeasured") return unmeasured(cpu);
      if (cpu.kind === "mitigated") return { points: most, found: "none is open" };
      return { points: 0, found: `open: ${cpu.names.join(", ")}` };
    },
  },
];

function judgeMemory(values: ValuesFinding, most: number): Judgement {
  if (values.kind === "unmeasured") return unmeasured(values);
  if (values.kind === "stack") return { points: 0, found: "the values are on the program's stack" };
  const isSecret = values.memory === "memfd_secret";
  return held(isSecret, most, isSecret ? "memfd_secret" : "locked ordinary memory");
}

function judgeLocks(values: ValuesFinding, courierLocked: boolean, most: number): Judgement {
  switch (values.kind) {
    case "unmeasured":
      return unmeasured(values);
    case "stack":
      return { points: 0, found: "the program's stack can be swapped" };
    case "descriptor":
      if (values.memory === "memfd") {
        return { points: 0, found: "the program has not mapped its region yet, nor locked it" };
      }
      break;
    case "region":
      if (!values.locked) return { points: 0, found: "the program's region is not locked" };
  }
  const found = courierLocked ? "all are locked" : "the courier could not lock its memory";
  return held(courierLocked, most, found);
}

function judgeDumps(values: ValuesFinding, most: number): Judgement {
  switch (values.kind) {
    case "unmeasured":
      return unmeasured(values);
    case "stack":
      return held(!values.dumped, most, values.dumped ? "the stack is dumped" : "none is written");
    case "descriptor":
      return held(values.memory === "memfd_secret", most, "the program has not mapped its region");
    case "region":
      return held(!values.dumped, most, values.dumped ? "they are dumped" : "left out");
  }
}

function describeAgent(agent: AgentFinding): string {
  if (agent.kind === "not asked for") return "no agent is asked for";
  if (agent.kind === "away") return "it is not there";
  return agent.registered ? "connected" : "it has not registered the program";
}

/** The outcome of attempts. For rows and leak windows see GET /status of the agent. */
const attempts: Readonly<Partial<Record<EnforcementTier, string>>> = {
  none: "attempts are not seen",
  tracing: "attempts are reported",
  detect: "attempts are reported",
  kill: "the agent kills the actor, which may be too late",
};

function describeTier(tier: EnforcementTier): string {
  const what = attempts[tier];
  return what === undefined ? `tier ${tier}` : `tier ${tier}: ${what}`;
}

function unmeasured({ reason }: Unmeasured): Judgement {
  return { points: 0, found: `not measured: ${reason}` };
}

function held(isHeld: boolean, most: number, found: string): Judgement {
  return { points: isHeld ? most : 0, found };
}
