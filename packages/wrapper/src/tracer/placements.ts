import { processId } from "@svc/kernel";
import type { PlacedGeneration, Placement } from "./placement.ts";
import { type RepointOptions, type RepointOutcome, repointRunning } from "./repoint-running.ts";
import type { AlreadyTraced } from "./stop-threads.ts";
import { childrenOf, mappingsOf, threadsOf } from "./thread-states.ts";

// A vfork lasts as long as its child takes to execute a program.
const PATIENCE_MS = 200;
// Most of a script's many programs have ended long before the first request.
const FEW = 64;

/** The outcome for one process. */
export interface RepointedProcess {
  readonly pid: number;
  readonly outcome: RepointOutcome;
}

/** Every process that has been given pointers into the region, and those that it has forked. */
export class Placements {
  readonly #byPid = new Map<number, Placement>();
  #last: PlacedGeneration | undefined;

  get(pid: number): Placement | undefined {
    return this.#byPid.get(pid);
  }

  /** Records the placement of a process's last execve; undefined removes it. */
  set(pid: number, placement: Placement | undefined): void {
    this.#byPid.delete(pid);
    if (placement === undefined) return;
    if (this.#byPid.size >= FEW) this.#forgetEnded();
    this.#byPid.set(pid, placement);
  }

  /** Points the variables of all of them at other entries. */
  repoint(next: PlacedGeneration, traced: AlreadyTraced): readonly RepointedProcess[] {
    this.#last = next;
    const options = { ...traced, next, endMs: performance.now() + PATIENCE_MS };
    // Before their parents: their children from before have the earlier pointers.
    const forked = this.#findForked();
    const known = [...this.#byPid].map(([pid, at]) => this.#repointOne(pid, at, options));
    const busy = new Set(known.filter(isBusy).map(({ placement }) => placement.regionAddress));
    const others = [...forked]
      // In vfork a child and its waiting parent share their memory, and the parent's threads run.
      .filter(([, { regionAddress }]) => !busy.has(regionAddress))
      .map(([pid, at]) => {
        this.#byPid.set(pid, at);
        return this.#repointOne(pid, at, options);
      });
    return [...known, ...others].map(({ pid, outcome }) => ({ pid, outcome }));
  }

  /**
   * Tries again if a process was busy. Returns the earliest generation that still is pointed at.
   */
  catchUp(traced: AlreadyTraced): number {
    const earliest = this.#earliest();
    if (this.#last === undefined || [0, this.#last.generation].includes(earliest)) return earliest;
    this.repoint(this.#last, traced);
    return this.#earliest();
  }

  /**
   * The earliest generation of living processes, except for generation 0, which is never
   * overwritten: 0 if there is no other.
   */
  #earliest(): number {
    const found = [...this.#byPid]
      .filter(([pid, { generation }]) => generation > 0 && this.#lives(pid))
      .map(([, { generation }]) => generation);
    return found.length === 0 ? 0 : Math.min(...found);
  }

  /** The number of a process that has ended may be another one's. */
  #lives(pid: number): boolean {
    const mappings = mappingsOf(pid);
    const address = this.#byPid.get(pid)?.regionAddress ?? -1;
    const lives = threadsOf(pid).length > 0 && (mappings.size === 0 || mappings.has(address));
    if (!lives) this.#byPid.delete(pid);
    return lives;
  }

  #repointOne(pid: number, placement: Placement, options: RepointOptions) {
    const outcome = repointRunning(pid, placement, options);
    // It may have executed another program, which has been prepared meanwhile.
    if (this.#byPid.get(pid) === placement) {
      if (outcome.kind === "gone") this.#byPid.delete(pid);
      if (outcome.kind === "repointed") this.#byPid.set(pid, outcome.placement);
    }
    return { pid, placement, outcome };
  }

  /**
   * A fork has its parent's memory, at the same addresses; one whose parent has ended is a child
   * here.
   */
  #findForked(): ReadonlyMap<number, Placement> {
    const known = [...this.#byPid.values()];
    const forked = new Map<number, Placement>();
    for (const pid of descendantsOf(processId())) {
      if (this.#byPid.has(pid)) continue;
      const mappings = mappingsOf(pid);
      const placement = known.find(({ regionAddress }) => mappings.has(regionAddress));
      if (placement !== undefined) forked.set(pid, placement);
    }
    return forked;
  }

  #forgetEnded(): void {
    const living = new Set(descendantsOf(processId()));
    for (const pid of this.#byPid.keys()) if (!living.has(pid)) this.#byPid.delete(pid);
  }
}

function isBusy({ outcome }: RepointedProcess): boolean {
  return outcome.kind === "busy";
}

function descendantsOf(pid: number): readonly number[] {
  const found = new Set<number>();
  const rest = [...childrenOf(pid)];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    rest.push(...childrenOf(next));
  }
  return [...found];
}
