import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WrapperCode } from "./code/wrapper-code.ts";
import { runScenario } from "./run-scenario.ts";
import { stories, storyPath, storyScenario } from "./stories/stories.ts";
import { accountOf } from "./world/account.ts";

/** Any schedule does: the promise "stories" compares the others. */
const SEED = 1;

/** Writes down how each story goes, and removes files without a story. Returns the names. */
export function tellStories(code: WrapperCode): readonly string[] {
  const names = Object.keys(stories);
  for (const name of names) writeFileSync(storyPath(name), textOf(name, code));
  const paths = names.map(storyPath);
  const [folder = ""] = paths.map((path) => dirname(path));
  for (const file of readdirSync(folder)) {
    if (!paths.includes(join(folder, file))) rmSync(join(folder, file));
  }
  return names;
}

function textOf(name: string, code: WrapperCode): string {
  const { world } = runScenario({ ...storyScenario(name, SEED), isToBeTold: true }, code);
  return `${accountOf(world, stories[name]?.loose).join("\n")}\n`;
}
