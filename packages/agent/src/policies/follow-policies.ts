import type { Log } from "@svc/logging";
import type { CompileContext, CompiledPolicies, ExecutableFacts } from "./compile-policies.ts";
import { compilePolicies } from "./compile-policies.ts";
import { parsePolicies } from "./parse-policies.ts";
import type { Policy } from "./policy.ts";

/** The result of a look at the file. */
export type PolicyText =
  | { readonly kind: "text"; readonly text: string }
  /** There is no file of policies. */
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly reason: string };

/** The effects of following policies. */
export interface PolicyEdge {
  readonly readText: () => PolicyText;
  readonly executableAt: (path: string) => ExecutableFacts | undefined;
  readonly numberOf: CompileContext["numberOf"];
  readonly now: () => Pick<CompileContext, "nowMs" | "bootNs">;
  readonly write: (compiled: CompiledPolicies) => void;
  /** Says for the audit trail which policies are in force, or that a file was refused. */
  readonly tell: (kind: PolicyNews, facts: Readonly<Record<string, unknown>>) => void;
  readonly log: Log;
}

export type PolicyNews = "agent_policies_in_force" | "agent_policies_refused";

/** Keeps policies in force: `look` is called again and again. Those of a bad file change nothing. */
export class PolicyFollower {
  readonly #edge: PolicyEdge;
  #policies: readonly Policy[] = [];
  #text = "";
  #inForce = "";
  #half: 0 | 1 = 0;

  constructor(edge: PolicyEdge) {
    this.#edge = edge;
  }

  look(): void {
    const found = this.#edge.readText();
    const text = textOf(found);
    if (text !== this.#text) {
      this.#text = text;
      this.#take(found);
    }
    try {
      this.#apply();
    } catch (error) {
      const reason = error instanceof Error ? error.message : typeof error;
      this.#edge.log("error", "policies cannot be written into the kernel", { reason });
    }
  }

  #take(found: PolicyText): void {
    if (found.kind === "absent") this.#policies = [];
    if (found.kind === "unusable") this.#refuse([found.reason]);
    if (found.kind !== "text") return;
    const parsed = parsePolicies(found.text);
    if (parsed.ok) this.#policies = parsed.policies;
    else this.#refuse(parsed.problems);
  }

  #refuse(problems: readonly string[]): void {
    const inForce = this.#policies.map(({ name }) => name);
    this.#edge.log("error", "POLICY_FILE: the policies before stay in force", {
      ...{ problems, inForce },
    });
    this.#edge.tell("agent_policies_refused", { problems, inForce });
  }

  /** Writes changes: a policy may have ended, and an executable may have changed. */
  #apply(): void {
    const { executableAt, numberOf, now, write, tell, log } = this.#edge;
    const { nowMs, bootNs } = now();
    const paths = new Set(this.#policies.flatMap(({ executables }) => executables).map(pathOf));
    const files = new Map([...paths].map((path) => [path, executableAt(path)]));
    const states = this.#policies.map((policy) => stateOf(policy, files, nowMs));
    const inForce = signature(this.#policies, files, states);
    if (inForce === this.#inForce) return;
    const half = this.#half === 0 ? 1 : 0;
    const context = { nowMs, bootNs, half, numberOf } as const;
    write(compilePolicies(this.#policies, { ...context, executableAt: (path) => files.get(path) }));
    this.#half = half;
    this.#inForce = inForce;
    log("info", "policies are in force", { policies: states });
    tell("agent_policies_in_force", { policies: states });
  }
}

/** A policy as the agent tells of it. */
export interface PolicyState {
  readonly name: string;
  readonly reason: string;
  readonly mode: Policy["mode"];
  readonly expires?: string;
  readonly state: "in force" | "expired";
  /** Executables that are not there, or have another digest: a process that runs them is allowed nothing. */
  readonly unusable?: readonly string[];
}

type Files = ReadonlyMap<string, ExecutableFacts | undefined>;

function stateOf(policy: Policy, files: Files, nowMs: number): PolicyState {
  const { name, reason, mode, expiresMs, executables } = policy;
  const unusable = executables
    .filter(({ path, sha256 }) => files.get(path)?.sha256 !== sha256)
    .map(pathOf);
  const hasEnded = expiresMs !== undefined && expiresMs <= nowMs;
  return {
    ...{ name, reason, mode },
    ...(expiresMs !== undefined && { expires: new Date(expiresMs).toISOString() }),
    state: hasEnded ? "expired" : "in force",
    ...(unusable.length > 0 && { unusable }),
  };
}

function pathOf({ path }: { readonly path: string }): string {
  return path;
}

function signature(policies: readonly Policy[], files: Files, states: readonly PolicyState[]) {
  if (policies.length === 0) return "";
  const found = [...files].map(([path, file]) => [
    path,
    ...(file ? [file.device, file.inode, file.size, file.changedNs, file.sha256].map(String) : []),
  ]);
  return JSON.stringify([policies, found, states.map(({ state }) => state)]);
}

function textOf(found: PolicyText): string {
  switch (found.kind) {
    case "text":
      return `text ${found.text}`;
    case "absent":
      return "";
    case "unusable":
      return `unusable ${found.reason}`;
  }
}
