/** The parts of a combined attack, as `combination` of packages/testing/combinations knows them. */
export interface Combination {
  /** All parts, between slashes. */
  readonly name: string;
  /** The loot, and the call that reaches for it. */
  readonly goal: string;
  /** The memory in which the arguments of the call lie. */
  readonly arguments: ArgumentsWay;
  /** The holder of the descriptor, which shares the descriptors with the opener. */
  readonly table: TableWay;
  /** The bits of the call. */
  readonly width: "64" | "32";
  readonly target: TargetWay;
  /** Whether the descriptor was opened before the victim was protected, or after it. */
  readonly time: "after" | "before";
  /** Two threads or processes race: two runs may end in different ways. */
  readonly isRace: boolean;
}

export type ArgumentsWay = "warm" | "cold" | "dropped" | "faulted" | "rewritten";
export type TableWay = "own" | "thread" | "sibling" | "twin";
export type TargetWay = "main" | "other-thread" | "child" | "newborn";

interface Goal {
  readonly name: string;
  /** Calls of the goal have arguments in memory: at both widths, at 32 bits, or at none. */
  readonly laid: "both" | "narrow" | "none";
  /** It has a descriptor, which another process may hold. */
  readonly isHeld?: boolean;
  readonly isNarrow?: boolean;
  /** Beside the main program. */
  readonly targets?: readonly TargetWay[];
  readonly isBefore?: boolean;
}

const everyWay: readonly ArgumentsWay[] = ["warm", "cold", "dropped", "faulted", "rewritten"];
const everyTable: readonly TableWay[] = ["own", "thread", "sibling", "twin"];

/** Those of io_uring come last: an agent looks closer once a ring has opened a file. */
const goals: readonly Goal[] = [
  {
    ...{ name: "memory", laid: "both", isHeld: true, isNarrow: true, isBefore: true },
    targets: ["other-thread", "child", "newborn"],
  },
  {
    ...{ name: "environment", laid: "both", isHeld: true, isNarrow: true, isBefore: true },
    targets: ["other-thread", "child"],
  },
  {
    ...{ name: "region", laid: "narrow", isHeld: true, isNarrow: true, isBefore: true },
    targets: ["other-thread", "child"],
  },
  { name: "region-received", laid: "narrow", isHeld: true, isNarrow: true, isBefore: true },
  {
    ...{ name: "read-call", laid: "both", isNarrow: true },
    targets: ["other-thread", "child", "newborn"],
  },
  {
    ...{ name: "trace", laid: "none", isNarrow: true },
    targets: ["other-thread", "child", "newborn"],
  },
  {
    ...{ name: "samples", laid: "both", isHeld: true, isNarrow: true, isBefore: true },
    targets: ["other-thread"],
  },
  { name: "samples-of-all", laid: "both", isHeld: true, isNarrow: true },
  { name: "probe", laid: "both", isHeld: true, isNarrow: true },
  { name: "maps", laid: "both", isHeld: true, isNarrow: true },
  { name: "program", laid: "both", isHeld: true, isNarrow: true },
  { name: "core-pattern", laid: "both", isHeld: true, isNarrow: true },
  { name: "memory-by-ring", laid: "both", isHeld: true, targets: ["other-thread", "child"] },
  { name: "environment-by-ring", laid: "both", isHeld: true, targets: ["other-thread", "child"] },
  { name: "core-pattern-by-ring", laid: "both", isHeld: true },
  { name: "core-pattern-by-request", laid: "both", isHeld: true, isNarrow: true },
];

/** All sensible combinations, always in the same order. */
export function listCombinations(): readonly Combination[] {
  return goals.flatMap((goal) => [...afterwards(goal), ...elsewhere(goal), ...before(goal)]);
}

/** The main program, in all ways. */
function afterwards(goal: Goal): readonly Combination[] {
  return widthsOf(goal).flatMap((width) =>
    waysOf(goal, width, everyWay).flatMap((way) =>
      tablesOf(goal, everyTable).map((table) => combine(goal, { way, table, width })),
    ),
  );
}

/** Its other tasks: the ways that matter. */
function elsewhere(goal: Goal): readonly Combination[] {
  return (goal.targets ?? []).flatMap((target) =>
    widthsOf(goal).flatMap((width) =>
      waysOf(goal, width, ["warm", "cold"]).flatMap((way) =>
        tablesOf(goal, target === "newborn" ? ["own"] : ["own", "sibling"]).map((table) =>
          combine(goal, { way, table, width, target }),
        ),
      ),
    ),
  );
}

/** Opened too early to be seen; only arguments of the use matter. */
function before(goal: Goal): readonly Combination[] {
  if (!goal.isBefore) return [];
  return widthsOf(goal).flatMap((width) =>
    (goal.laid === "narrow" ? waysOf(goal, width, everyWay) : (["warm"] as const)).flatMap((way) =>
      tablesOf(goal, ["own", "sibling"]).map((table) =>
        combine(goal, { way, table, width, time: "before" }),
      ),
    ),
  );
}

function widthsOf(goal: Goal): readonly Combination["width"][] {
  return goal.isNarrow ? ["64", "32"] : ["64"];
}

function waysOf(
  { laid }: Goal,
  width: Combination["width"],
  ways: readonly ArgumentsWay[],
): readonly ArgumentsWay[] {
  return laid === "both" || (laid === "narrow" && width === "32") ? ways : ["warm"];
}

function tablesOf({ isHeld }: Goal, tables: readonly TableWay[]): readonly TableWay[] {
  return isHeld ? tables : ["own"];
}

interface Parts {
  readonly way: ArgumentsWay;
  readonly table: TableWay;
  readonly width: Combination["width"];
  readonly target?: TargetWay;
  readonly time?: Combination["time"];
}

function combine(
  { name: goal }: Goal,
  { way, table, width, target = "main", time = "after" }: Parts,
): Combination {
  return {
    name: [goal, way, table, width, target, time].join("/"),
    ...{ goal, arguments: way, table, width, target, time },
    isRace: way === "rewritten" || target === "newborn",
  };
}

/**
 * Some of them, in their order: the same ones for the same seed.
 *
 * @param count all if there are fewer
 */
export function sampleCombinations<T>(
  all: readonly T[],
  count: number,
  seed: number,
): readonly T[] {
  const random = numbersOf(seed);
  const places = all.map((_, index) => ({ index, rank: random() }));
  const chosen = places.sort((one, other) => one.rank - other.rank).slice(0, count);
  const wanted = new Set(chosen.map(({ index }) => index));
  return all.filter((_, index) => wanted.has(index));
}

/** Mulberry32: 32 bits of state are enough to draw a sample. */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
