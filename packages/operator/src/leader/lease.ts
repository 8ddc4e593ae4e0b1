/** The holder of a Lease (coordination.k8s.io/v1), with the fields of an election. */
export interface LeaseRecord {
  /** Undefined if it has no holder. */
  readonly holder: string | undefined;
  /**
   * How long it is the holder's after its last renewal, in milliseconds; undefined if nothing is
   * said.
   */
  readonly durationMs: number | undefined;
  /** How often it went from one holder to another. */
  readonly transitions: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
}

/** A record and the state of the Lease in which it was read. */
export interface StoredLease {
  readonly resourceVersion: string;
  readonly record: LeaseRecord;
}

/**
 * Reads a Lease; undefined if the value is not one. Missing and malformed fields of its spec are
 * absent.
 */
export function parseLease(value: unknown): StoredLease | undefined {
  const { metadata, spec } = Object(value);
  const { resourceVersion } = Object(metadata);
  if (typeof resourceVersion !== "string") return undefined;
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, ...times } = Object(spec);
  const record = {
    holder: textOf(holderIdentity),
    durationMs: typeof leaseDurationSeconds === "number" ? leaseDurationSeconds * 1000 : undefined,
    transitions: typeof leaseTransitions === "number" ? leaseTransitions : 0,
    acquireTime: textOf(times.acquireTime),
    renewTime: textOf(times.renewTime),
  };
  return { resourceVersion, record };
}

/** The record as a Lease's spec has it, for a merge patch: it removes missing fields. */
export function leaseSpec({ holder, durationMs, transitions, ...times }: LeaseRecord): object {
  return {
    holderIdentity: holder ?? null,
    leaseDurationSeconds: durationMs === undefined ? null : Math.ceil(durationMs / 1000),
    leaseTransitions: transitions,
    acquireTime: times.acquireTime ?? null,
    renewTime: times.renewTime ?? null,
  };
}

/**
 * A time as a Lease has it. Six digits behind the point: the API server takes neither more nor less
 * (metav1.MicroTime).
 */
export function microTime(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
