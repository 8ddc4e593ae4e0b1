import type { Log } from "@svc/logging";
import { type CompileContext, compilePolicies, type ExecutableFacts } from "./compile-policies.ts";
import { type FoundPods, uidsOf } from "./found-pods.ts";
import { type ParsedPolicies, parsePolicies } from "./parse-policies.ts";
import { type PolicyObject, parsePolicyObjects } from "./parse-policy-objects.ts";
import type { CompileHalf } from "./policies-writer.ts";
import { MOST_POLICIES, type PodSelector, type Policy } from "./policy.ts";
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

/** The SvcPolicies of the cluster, as the agent knows them. */
export type PolicyObjects =
  /** The agent does not ask for them, or has had no answer yet. */
  | { readonly kind: "unknown" }
  | { readonly kind: "objects"; readonly objects: readonly PolicyObject[] };

/** The effects of following policies. */
export interface PolicyEdge {
  /** The source of the text, for people; undefined without POLICY_FILE. */
  readonly path: string | undefined;
  readonly readText: () => PolicyText;
  readonly readObjects: () => PolicyObjects;
  /** Looks at the executables at these paths, and at no others any more. */
  readonly readExecutables: (paths: ReadonlySet<string>) => FoundExecutables;
  /** Looks at the pods of these namespaces on this machine, and at no others any more. */
  readonly readPods: (namespaces: ReadonlySet<string>) => FoundPods;
  /** Why policies of pods hold for no process of this machine; undefined if they do. */
  readonly objectionToFolders: () => string | undefined;
  readonly numberOf: CompileContext["numberOf"];
  readonly seesMachine: boolean;
  readonly now: () => Pick<CompileContext, "nowMs" | "bootNs">;
  readonly write: (compile: CompileHalf) => void;
  /** Says for the audit trail which policies are in force, or that a set was refused. */
  readonly tell: (kind: PolicyNews, facts: Readonly<Record<string, unknown>>) => void;
  readonly log: Log;
}

export type PolicyNews = "agent_policies_in_force" | "agent_policies_refused";

/** The policies of the agent, for people. */
export interface PolicyReport {
  readonly policies: readonly PolicyState[];
  /** All that is wrong with a set that was refused; empty if the set is in force. */
  readonly problems: readonly string[];
}

/**
 * Keeps policies in force: `look` is called again and again. The file and the SvcPolicies are one
 * set. A set with a mistake changes nothing.
 */
export class PolicyFollower {
  readonly #edge: PolicyEdge;
  #policies: readonly Policy[] = [];
  #text: PolicyText = { kind: "absent" };
  #sources = "";
  #inForce = "";
  #told = "[[],[]]";
  #failure = "";
  #report: PolicyReport = { policies: [], problems: [] };

  constructor(edge: PolicyEdge) {
    this.#edge = edge;
  }

  /** As of the last look. */
  report(): PolicyReport {
    return this.#report;
  }

  look(): void {
    const text = this.#edge.readText();
    if (text.kind !== "unsettled") this.#text = text;
    const objects = this.#edge.readObjects();
    const sources = JSON.stringify([this.#text, objects]);
    if (sources !== this.#sources) {
      this.#sources = sources;
      this.#take(parseSources(this.#text, objects));
    }
    try {
      this.#apply();
      this.#failure = "";
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : typeof error);
    }
  }

  #take(parsed: ParsedPolicies): void {
    if (parsed.ok) {
      this.#policies = parsed.policies;
      this.#report = { ...this.#report, problems: [] };
      return;
    }
    const { problems } = parsed;
    const { path, log, tell } = this.#edge;
    const inForce = this.#policies.map(({ name }) => name);
    const facts = { ...(path !== undefined && { file: path }), problems, inForce };
    this.#report = { ...this.#report, problems };
    log("error", "policies are refused: those before stay in force", facts);
    tell("agent_policies_refused", facts);
  }

  #fail(reason: string): void {
    if (reason === this.#failure) return;
    this.#failure = reason;
    this.#edge.log("error", "policies cannot be written into the kernel", { reason });
  }

  /**
   * Writes changes: a policy may have ended, an executable may have changed, and pods come and go.
   */
  #apply(): void {
    const { readExecutables, readPods, numberOf, seesMachine, now, write } = this.#edge;
    const policies = this.#policies;
    const paths = new Set(policies.flatMap(({ executables }) => executables).map(pathOf));
    const files = readExecutables(paths);
    const pods = readPods(
      new Set(policies.flatMap((policy) => policy.pods.map(({ namespace }) => namespace))),
    );
    const { nowMs, bootNs } = now();
    const objectionToFolders = pods.size > 0 ? this.#edge.objectionToFolders() : undefined;
    const around = { files, pods, nowMs, seesMachine, objectionToFolders };
    const states = policies.map((policy) => stateOf(policy, around));
    const podsOf = (selector: PodSelector) => uidsOf(pods, selector);
    const uids = policies.map((policy) => policy.pods.flatMap(podsOf));
    const inForce = signature(policies, files, [states, uids]);
    if (inForce === this.#inForce) return;
    const executableAt = (path: string) => factsOf(files.get(path));
    const context = { nowMs, bootNs, numberOf, seesMachine, executableAt, podsOf };
    write((half) => compilePolicies(policies, { ...context, half }));
    this.#inForce = inForce;
    this.#report = { ...this.#report, policies: states };
    this.#tellOf(states);
  }

  /** Reports no event for pods that come and go: there may be many. */
  #tellOf(states: readonly PolicyState[]): void {
    const policies = states.map(({ pods: _, ...state }) => state);
    const told = JSON.stringify([this.#policies, policies]);
    if (told === this.#told) return;
    this.#told = told;
    this.#edge.log("info", "policies are in force", { policies });
    this.#edge.tell("agent_policies_in_force", { policies });
  }
}

/** The policies of both sources, or all problems of both. */
function parseSources(text: PolicyText, found: PolicyObjects): ParsedPolicies {
  const parts = [
    parseText(text),
    parsePolicyObjects(found.kind === "objects" ? found.objects : []),
  ];
  const problems = parts.flatMap((part) => (part.ok ? [] : part.problems));
  const policies = parts.flatMap((part) => (part.ok ? part.policies : []));
  if (policies.length > MOST_POLICIES) {
    const found = `${policies.length}: POLICY_FILE and SvcPolicies together`;
    problems.push(`policies: wanted at most ${MOST_POLICIES}, found ${found}`);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, policies };
}

function parseText(text: PolicyText): ParsedPolicies {
  switch (text.kind) {
    case "text":
      return parsePolicies(text.text);
    case "unusable":
      return { ok: false, problems: [text.reason] };
    case "absent":
    case "unsettled":
      return { ok: true, policies: [] };
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
  facts: readonly unknown[],
): string {
  if (policies.length === 0) return "";
  const found = [...files].map(([path, file]) => {
    const facts = factsOf(file);
    if (facts === undefined) return [path];
    const { device, inode, size, changedNs, sha256 } = facts;
    return [path, ...[device, inode, size, changedNs, sha256].map(String)];
  });
  return JSON.stringify([policies, found, ...facts]);
}
