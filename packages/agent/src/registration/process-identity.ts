/** Names one process for ever. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
}
