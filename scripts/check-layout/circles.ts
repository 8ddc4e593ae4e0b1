/** From each node to the nodes that its arrows end at. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The shortest circle of each group of nodes that all reach each other. A circle names each of its
 * nodes once, and its last arrow leads back to the first. A node with an arrow to itself
 * is one.
 */
export function circles(graph: Graph): readonly (readonly string[])[] {
  const rest = withoutEnds(graph);
  const seen = new Set<string>();
  return [...rest.keys()].sort().flatMap((node) => {
    if (seen.has(node)) return [];
    const group = [...groupOf(rest, node)].sort();
    for (const member of group) seen.add(member);
    const found = group.flatMap((member) => shortestCircle(rest, member));
    return found.length === 0 ? [] : [found.reduce(shorter)];
  });
}

/** The part of a graph whose nodes all have an arrow to one of it: circles are in it. */
function withoutEnds(graph: Graph): Graph {
  const ends = new Set(
    [...graph]
      .filter(([, to]) => ![...to].some((target) => graph.has(target)))
      .map(([node]) => node),
  );
  return ends.size === 0 ? graph : withoutEnds(without(graph, ends));
}

function without(graph: Graph, nodes: ReadonlySet<string>): Graph {
  return new Map([...graph].filter(([node]) => !nodes.has(node)));
}

/** None or one. The search goes level by level, so the first way back is a shortest one. */
function shortestCircle(graph: Graph, start: string): readonly (readonly string[])[] {
  const seen = new Set([start]);
  const ways: (readonly string[])[] = [[start]];
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? "") ?? []) {
      if (next === start) return [way];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return [];
}

function shorter(best: readonly string[], circle: readonly string[]): readonly string[] {
  return circle.length < best.length ? circle : best;
}

/** The nodes that a node reaches and that reach it. */
function groupOf(graph: Graph, node: string): ReadonlySet<string> {
  const reached = reachedFrom(graph, node);
  return new Set([node, ...[...reached].filter((other) => reachedFrom(graph, other).has(node))]);
}

function reachedFrom(graph: Graph, start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of graph.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}
