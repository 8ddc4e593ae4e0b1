import type { Log } from "@svc/logging";
import { type CompileContext, compilePolicies, type ExecutableFacts } from "./compile-policies.ts";
import { parsePolicies } from "./parse-policies.ts";
import type { CompileHalf } from "./policies-writer.ts";
import type { Policy } from "./policy.ts";
import { type FoundExecutables, type PolicyState, stateOf } from "./policy-state.ts";
import type { FoundExecutable } from "./read-executable.ts";

/** The result of a look at the file. */
export type PolicyText =
  | { readonly kind: "text"; readonly text: string }
  /** There is no file of policies. */
  | { readonly kind: "absent" }
  /** It was changed a moment ago, and may be half written. */
  | { readonly kind: "unsettled" }
  | { readonly kind: "unusable"; readonly reason: string };

/** The effects of following policies. */
export interface PolicyEdge {
  /** Where the text is read, for people. */
  readonly path: string;
  readonly readText: () => PolicyText;
  /** Looks at the executables at these paths, and at no others any more. */
  readonly readExecutables: (paths: ReadonlySet<string>) => FoundExecutables;
  readonly numberOf: CompileContext["numberOf"];
  readonly seesMachine: boolean;
  readonly now: () => Pick<CompileContext, "nowMs" | "bootNs">;
  readonly write: (compile: CompileHalf) => void;
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
  #failure = "";

  constructor(edge: PolicyEdge) {
    this.#edge = edge;
  }

  look(): void {
    const found = this.#edge.readText();
    const text = textOf(found);
    if (text !== undefined && text !== this.#text) {
      this.#text = text;
      this.#take(found);
    }
    try {
      this.#apply();
      this.#failure = "";
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : typeof error);
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
    const { path, log, tell } = this.#edge;
    const inForce = this.#policies.map(({ name }) => name);
    const facts = { file: path, problems, inForce };
    log("error", "POLICY_FILE: the policies before stay in force", facts);
    tell("agent_policies_refused", facts);
  }

  #fail(reason: string): void {
    if (reason === this.#failure) return;
    this.#failure = reason;
    this.#edge.log("error", "policies cannot be written into the kernel", { reason });
  }

  /** Writes changes: a policy may have ended, and an executable may have changed. */
  #apply(): void {
    const { readExecutables, numberOf, seesMachine, now, write, tell, log } = this.#edge;
    const paths = new Set(this.#policies.flatMap(({ executables }) => executables).map(pathOf));
    const files = readExecutables(paths);
    const { nowMs, bootNs } = now();
    const states = this.#policies.map((policy) => stateOf(policy, { files, nowMs, seesMachine }));
    const inForce = signature(this.#policies, files, states);
    if (inForce === this.#inForce) return;
    const executableAt = (path: string) => factsOf(files.get(path));
    const context = { nowMs, bootNs, numberOf, seesMachine, executableAt };
    write((half) => compilePolicies(this.#policies, { ...context, half }));
    this.#inForce = inForce;
    log("info", "policies are in force", { policies: states });
    tell("agent_policies_in_force", { policies: states });
  }
}

function pathOf({ path }: { readonly path: string }): string {
  return path;
}

function factsOf(found: FoundExecutable | undefined): ExecutableFacts | undefined {
  return found?.kind === "file" ? found.facts : undefined;
}

/** All that the kernel side's maps depend on; equal ones need not be written again. */
function signature(
  policies: readonly Policy[],
  files: FoundExecutables,
  states: readonly PolicyState[],
): string {
  if (policies.length === 0) return "";
  const found = [...files].map(([path, file]) => {
    const facts = factsOf(file);
    if (facts === undefined) return [path];
    const { device, inode, size, changedNs, sha256 } = facts;
    return [path, ...[device, inode, size, changedNs, sha256].map(String)];
  });
  return JSON.stringify([policies, found, states]);
}

/** Undefined where there is nothing to go by yet. */
function textOf(found: PolicyText): string | undefined {
  switch (found.kind) {
    case "text":
      return `text ${found.text}`;
    case "absent":
      return "";
    case "unsettled":
      return undefined;
    case "unusable":
      return `unusable ${found.reason}`;
  }
}
