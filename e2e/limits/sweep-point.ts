/** The programs of the sweep: e2e/testdata/exits-by-value.c, linked in both ways. */
export type ProgramKind = "static" | "dynamic";

/** One start in a place that refuses something. */
export interface SweepPoint {
  /** For example `pipe2 EPERM` or `nofile 14`. */
  readonly name: string;
  /** The name of the call or of the limit. */
  readonly of: string;
  readonly program: ProgramKind;
  /** Options of testdata/starts-as.c. */
  readonly startsAs: readonly string[];
  /** Settings beside the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A start that is refused says this. */
  readonly cause: RegExp;
  /** The value of the limit. */
  readonly limit?: number;
}
