import { parseArgs } from "node:util";

/** The length of the run, and the place of its figures. */
export interface BenchOptions {
  /** When no further round begins. */
  readonly budgetMs: number;
  /** A file for the figures as JSON. */
  readonly jsonPath?: string;
  /** Another wrapper, which is measured in the same rounds. */
  readonly besidePath?: string;
  /** An envconsul, which is measured in the same rounds. */
  readonly envconsulPath?: string;
  /**
   * Measures only scenarios whose name has one of these texts, and the bare program; empty: all.
   */
  readonly only: readonly string[];
}

export const usage =
  "usage: bun bench/run.ts [--quick] [--json FILE] [--beside WRAPPER] [--envconsul PROGRAM] [--only TEXT]…\n";

const BUDGET_MS = 45_000;
const QUICK_BUDGET_MS = 8_000;

/** Reads the command line; undefined if it is not understood. */
export function readOptions(words: readonly string[]): BenchOptions | undefined {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "string" },
        beside: { type: "string" },
        envconsul: { type: "string" },
        only: { type: "string", multiple: true, default: [] },
      },
    });
    const budgetMs = values.quick ? QUICK_BUDGET_MS : BUDGET_MS;
    return {
      budgetMs,
      only: values.only,
      ...(values.json !== undefined && { jsonPath: values.json }),
      ...(values.beside !== undefined && { besidePath: values.beside }),
      ...(values.envconsul !== undefined && { envconsulPath: values.envconsul }),
    };
  } catch {
    return undefined;
  }
}
