import { type ContainerState, containerState } from "./container-state.ts";

/** How far a pod has come. */
export interface PodStory {
  readonly name: string;
  /** The standing of the worst of its containers; `bare`: it has no wrapper. */
  readonly standing: ContainerState["standing"] | "bare";
  /** The pod's own message: it was evicted, or no node takes it. Empty if there is none. */
  readonly reason: string;
  readonly containers: readonly ContainerState[];
}

/**
 * From the worst to the best. Pods without a wrapper are left over if others wait: a rollout is
 * under way.
 */
const order = ["fails", "waits", "bare", "runs", "ended"] as const;

/**
 * Tells the story of a pod.
 *
 * @param wrapped the containers that have a wrapper; init containers that fail or have not ended
 * are reported as well, because these wait for them
 */
export function podStory(pod: unknown, wrapped: readonly string[]): PodStory {
  const { metadata, status } = Object(pod);
  const name = String(Object(metadata).name);
  const { phase, containerStatuses, initContainerStatuses } = Object(status);
  if (wrapped.length === 0) return { name, standing: "bare", reason: "", containers: [] };
  const known = statesOf(containerStatuses);
  const before = statesOf(initContainerStatuses);
  const own = wrapped.map(
    (one) => [...known, ...before].find((state) => state.name === one) ?? unstarted(one),
  );
  const inTheWay = before.filter(
    ({ name: one, standing }) => !wrapped.includes(one) && standing === "fails",
  );
  const containers = [...inTheWay, ...own];
  const reason = reasonOf(Object(status));
  const standings = containers.map(({ standing }) => standing);
  const standing = phase === "Failed" ? "fails" : worstOf(standings);
  return { name, standing, reason, containers };
}

/** The worst of several states; `ended` for an empty list. */
export function worstOf<S extends PodStory["standing"]>(standings: readonly S[]): S | "ended" {
  const isThere = (one: (typeof order)[number]): one is S & (typeof order)[number] =>
    standings.some((standing) => standing === one);
  return order.find(isThere) ?? "ended";
}

/** The worst first, and of the same standing as they came. */
export function worstFirst(stories: readonly PodStory[]): readonly PodStory[] {
  return stories.toSorted((a, b) => order.indexOf(a.standing) - order.indexOf(b.standing));
}

function statesOf(statuses: unknown): readonly ContainerState[] {
  return Array.isArray(statuses) ? statuses.map(containerState) : [];
}

function unstarted(name: string): ContainerState {
  const text = "no node has started it";
  return { name, standing: "waits", restarts: 0, text, end: undefined };
}

function reasonOf(status: Readonly<Record<string, unknown>>): string {
  const { reason, message, conditions } = status;
  if (typeof reason === "string" && reason !== "") return said(reason, message);
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const unscheduled = all
    .map((condition) => Object(condition))
    .find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  return unscheduled === undefined ? "" : said("no node takes it", unscheduled.message);
}

function said(what: string, message: unknown): string {
  const more = typeof message === "string" ? message.replace(/\p{Cc}+/gu, " ").slice(0, 500) : "";
  return more === "" ? what : `${what}: ${more}`;
}
