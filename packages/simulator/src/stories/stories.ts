import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "../world/scenario.ts";
import { agentStories } from "./agent-stories.ts";
import { operatorStories } from "./operator-stories.ts";
import { programStories } from "./program-stories.ts";
import { refusalStories } from "./refusal-stories.ts";
import { secretStories } from "./secret-stories.ts";
import { type Stories, steady } from "./story.ts";
import { troubleStories } from "./trouble-stories.ts";

const calm = { refusal: 0, courierEnd: 0, programEnd: 0, signal: 0, short: 0 };

/** A start, a check and a stop. */
const plain: Omit<Scenario, "seed"> = {
  isFirstProcess: true,
  settings: {},
  login: { kind: "token" },
  slowestAnswerMs: 20,
  outages: [],
  floods: [],
  actions: [],
  disturbance: calm,
  programs: [steady],
  stopAtMs: 16_000,
};

/** Settings with which a check comes every ten seconds, and a rotation at once. */
const quick = {
  RENEWAL_INTERVAL: "10s",
  SVC_ROTATION_SPLAY: "0s",
  SVC_ROTATION_DEBOUNCE: "0s",
  SVC_ROTATION_MIN_INTERVAL: "0s",
  SVC_LOG_LEVEL: "debug",
};

/** Runs that go the same way by each schedule, by their names. */
export const stories: Stories = {
  ...secretStories,
  ...programStories,
  ...agentStories,
  ...operatorStories,
  ...troubleStories,
  ...refusalStories,
};

const folder = join(import.meta.dirname, "../../testdata/stories");

/** The file in which a story is written down. */
export function storyPath(name: string): string {
  return join(folder, `${name.replaceAll(/\W+/g, "-")}.txt`);
}

const told = new Map<string, readonly string[]>();

/** The lines of a story. */
export function toldStory(name: string): readonly string[] {
  const lines = told.get(name) ?? readFileSync(storyPath(name), "utf8").trimEnd().split("\n");
  told.set(name, lines);
  return lines;
}

/** The scenario of a story, with the schedule of a seed. */
export function storyScenario(name: string, seed: number): Scenario {
  const { loose, ...story } = stories[name] ?? {};
  return { ...plain, ...story, settings: { ...quick, ...story.settings }, seed, story: name };
}
