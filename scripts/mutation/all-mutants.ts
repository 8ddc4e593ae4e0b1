import { join } from "node:path";
import { keptByContent } from "../coverage/kept-by-content.ts";
import type { Mutant } from "./mutant.ts";

/** The interface of @stryker-mutator/instrumenter; https://stryker-mutator.io. */
interface Instrumenter {
  instrument(
    files: readonly { readonly name: string; readonly mutate: true; readonly content: string }[],
    options: object,
  ): Promise<{
    readonly mutants: readonly {
      readonly location: Pick<Mutant, "start" | "end">;
      readonly replacement: string;
      readonly status?: string;
    }[];
  }>;
}

/** Tests compare the texts that matter; most are for people. */
const options = { plugins: null, ignorers: [], excludedMutations: ["StringLiteral"] };

/** Every change of files that Stryker knows; the list of a file is kept until it changes. */
export async function allMutants(
  root: string,
  paths: readonly string[],
  modules: string,
): Promise<readonly Mutant[]> {
  const { Instrumenter } = await import(join(modules, "@stryker-mutator/instrumenter"));
  const quiet = { debug: nothing, info: nothing, isDebugEnabled: () => false };
  const instrumenter = new Instrumenter(quiet) as Instrumenter;
  const lists: Mutant[] = [];
  for (const path of paths) {
    const source = { root, path, tools: modules, folder: "mutation" };
    const list = await keptByContent(source, (text) => mutantsOf(path, text, instrumenter));
    lists.push(...list);
  }
  return lists;
}

async function mutantsOf(
  path: string,
  content: string,
  instrumenter: Instrumenter,
): Promise<readonly Mutant[]> {
  const files = [{ name: path, mutate: true, content }] as const;
  const { mutants } = await instrumenter.instrument(files, options);
  return mutants
    .filter(({ status }) => status !== "Ignored")
    .map(({ location: { start, end }, replacement }) => ({ path, start, end, replacement }));
}

function nothing(): void {
  // The list says all.
}
