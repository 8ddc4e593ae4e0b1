/** The last resort of the module that svc-engine.d.ts declares. */
declare module "svc:engine" {
  /**
   * Notes the family of this process for the end that the host gives it, if the script cannot: by a
   * panic, a fault, without memory, or because it stands still. The host writes the cause into the
   * termination log, and kills each descendant but strangers. After one of the stop signals it does
   * so once the grace is over.
   */
  export function guardFamily(family: {
    readonly terminationLog: string;
    /** Children that were there before this process was. */
    readonly strangers: readonly number[];
    readonly stopSignals: readonly number[];
    readonly graceMs: number;
  }): void;
  /** Notes the bytes that the host writes to a descriptor if this process has no memory left. */
  export function guardReport(fd: number, bytes: Uint8Array): void;
  /** Notes the program, whose status the host gives then; 0 if none runs any more. */
  export function guardProgram(pid: number): void;
  /** Notes the status of the program with whose end this process ends. */
  export function guardEnd(status: number): void;
  /** The host ends this process with 125 in that time unless it is called again; 0 for never. */
  export function guardStart(ms: number): void;
}
