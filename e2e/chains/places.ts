import { unprivileged } from "../harness/processes/unprivileged.ts";
import { wrapperPath } from "../harness/wrapper/wrapper-process.ts";
import type { Chain, PlaceName } from "./chain.ts";

/** The surroundings of a chain. */
export interface Place {
  readonly name: PlaceName;
  /** Options of testdata/starts-as.c. */
  readonly startsAs: readonly string[];
  /** The words before those of the wrapper and before those of the bare chain. */
  readonly before: readonly string[];
  /** Whether the kernel announces each execve to the wrapper. */
  readonly isAnnounced: boolean;
  /** Whether the wrapper may trace. */
  readonly mayTrace: boolean;
}

const EPERM = 1;
const places: Readonly<Record<PlaceName, Omit<Place, "name">>> = {
  root: { startsAs: [], before: [], isAnnounced: true, mayTrace: true },
  // As restricted pods are: allowPrivilegeEscalation is false.
  no_new_privs: {
    startsAs: [],
    before: ["setpriv", "--no-new-privs"],
    isAnnounced: true,
    mayTrace: true,
  },
  unprivileged: { startsAs: unprivileged, before: [], isAnnounced: false, mayTrace: true },
  "without ptrace": {
    startsAs: ["-n", `ptrace=${EPERM}`],
    before: [],
    isAnnounced: false,
    mayTrace: false,
  },
};

/** Those of SVC_CHAIN_PLACES, or all. */
export function chosenPlaces(wanted = process.env["SVC_CHAIN_PLACES"]): readonly Place[] {
  const chosen = wanted?.split(",");
  for (const name of chosen ?? []) {
    if (!(name in places)) throw new TypeError(`SVC_CHAIN_PLACES: no such place: "${name}"`);
  }
  return Object.entries(places)
    .map(([name, place]) => ({ name: name as PlaceName, ...place }))
    .filter(({ name }) => chosen?.includes(name) ?? true);
}

/** Why a chain does not run in a place; undefined if it does. */
export function obstacle({ not, needs }: Chain, { name }: Place): string | undefined {
  // The cache is in a folder that only its owner may enter.
  const isCached = needs?.some((need) => need.endsWith("packages")) ?? false;
  if (name === "unprivileged" && isCached) return "its packages are another user's";
  return not?.[name];
}

/** The words that start the wrapper before the chain's. */
export function wrapperWords({ before }: Place, words: readonly string[]): readonly string[] {
  return [...before, wrapperPath, "--", ...words];
}

/**
 * The words of a bare chain. It has a new session, as the wrapper's program has a process
 * group: Apache ends its whole group.
 */
export function bareWords({ before }: Place, words: readonly string[]): readonly string[] {
  return ["/usr/bin/setsid", ...before, ...words];
}
