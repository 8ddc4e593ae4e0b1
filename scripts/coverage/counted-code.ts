import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { keptByContent } from "./kept-by-content.ts";

/** The global variable in which a process counts the statements that it runs. */
export const COUNTS = "svcCoverage";

/** The counts of a process: of each file, its statements by number. */
export type Counts = Readonly<Record<string, { readonly s: Readonly<Record<string, number>> }>>;

/** A file that counts its statements, and the line at which each of them begins. */
export interface CountedFile {
  readonly path: string;
  readonly code: string;
  readonly lines: readonly number[];
}

/** The interface of istanbul-lib-instrument; https://istanbul.js.org. */
interface Instrumenter {
  instrumentSync(code: string, path: string): string;
  lastFileCoverage(): {
    readonly path: string;
    readonly statementMap: Readonly<Record<string, { readonly start: { readonly line: number } }>>;
    readonly s: object;
    readonly f: object;
    readonly b: object;
  };
}

/** Changes with the form of the code that counts, so that no older one is taken. */
const FORM = 2;

/** Makes the code that counts, for each file; it is kept until the file changes. */
export async function countStatements(
  root: string,
  paths: readonly string[],
  modules: string,
): Promise<readonly CountedFile[]> {
  const { createInstrumenter } = await import(join(modules, "istanbul-lib-instrument"));
  const instrumenter = createInstrumenter({
    esModules: true,
    autoWrap: false,
    compact: false,
    coverageVariable: COUNTS,
    parserPlugins: ["typescript", "explicitResourceManagement"],
  }) as Instrumenter;
  const tools = `${FORM} ${modules}`;
  return Promise.all(
    paths.map((path) =>
      keptByContent({ root, path, tools, folder: "coverage/code" }, (text) =>
        countFile(instrumenter, path, text),
      ),
    ),
  );
}

function countFile(instrumenter: Instrumenter, path: string, text: string): CountedFile {
  const code = instrumenter.instrumentSync(text, path);
  const { statementMap, s, f, b } = instrumenter.lastFileCoverage();
  // The places are known here, and each process of a simulation would make them again.
  const start = code.indexOf("var coverageData = {");
  const end = code.indexOf("var coverage = global[gcv]");
  if (start < 0 || end < start) throw new Error(`${path}: the counting code has another form`);
  const counters = `var coverageData = {path, hash, ...${JSON.stringify({ s, f, b })}};\n`;
  return {
    path,
    code: code.slice(0, start) + counters + code.slice(end),
    lines: Object.values(statementMap).map(({ start: { line } }) => line),
  };
}

/** Loads the counting code of each file in place of the file; for Bun itself, or for a bundle. */
export function countingPlugin(root: string, files: readonly CountedFile[]): BunPlugin {
  const codes = new Map(files.map(({ path, code }) => [join(root, path), code]));
  return {
    name: "counted statements",
    setup(build) {
      build.onLoad({ filter: /\/packages\/[\w-]+\/src\/.*\.ts$/ }, ({ path }) => {
        const contents = codes.get(path) ?? readFileSync(path, "utf8");
        return { contents, loader: "ts" };
      });
    },
  };
}
