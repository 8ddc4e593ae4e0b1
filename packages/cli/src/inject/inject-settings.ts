import { type FlagReading, type Judging, readJudging } from "@svc/operator";
import { complain, parseFlags, parseVariables, quoted } from "@svc/settings";
import type { CommandLine } from "../command-line.ts";
import { injectFlags } from "./inject-flags.ts";

/** The settings of `svc inject`. */
export interface InjectSettings extends Judging {
  /** A path, or `-`. */
  readonly file: string;
  readonly dryRun: boolean;
  readonly output: "text" | "json" | "yaml";
  readonly namespace: string;
  readonly lookUpImages: boolean;
  /** True if `--wrapper-image` is missing and a name stands for it. */
  readonly hasNoWrapperImage: boolean;
}

const NO_IMAGE = "svc-wrapper";

/** Parses the words behind `svc inject` and reports every problem at once. */
export function parseInject(words: readonly string[]): CommandLine<InjectSettings> {
  const rules = { table: injectFlags, refused: new Map(), strayHint: "every option begins with -" };
  const flags = parseFlags(words, rules);
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(injectFlags, { environment: new Map(), flags: flags.values });
  const hasNoWrapperImage = parsed.values.wrapperImage === undefined;
  const reading: FlagReading<typeof injectFlags> = {
    ...parsed,
    values: { ...parsed.values, wrapperImage: parsed.values.wrapperImage ?? NO_IMAGE },
    problems: [...flags.problems, ...parsed.problems],
  };
  const judging = readJudging(reading);
  const { file = "", dryRun, output, namespace, lookUpImages } = parsed.values;
  const byDefault = dryRun ? "text" : "yaml";
  if (output !== undefined && output !== "json" && output !== byDefault) {
    complain(reading, {
      variable: "--output",
      wanted: `${byDefault} or json ${dryRun ? "with" : "without"} --dry-run`,
      found: `got ${quoted(output)}`,
    });
  }
  if (reading.problems.length > 0) return { kind: "problems", problems: reading.problems };
  const own = { file, dryRun, output: output ?? byDefault, namespace, lookUpImages };
  return { kind: "settings", settings: { ...judging, ...own, hasNoWrapperImage } };
}
