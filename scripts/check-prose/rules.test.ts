import { beforeAll, describe, expect, test } from "bun:test";
import { env, stderr } from "node:process";
import { cacheFolder, temporaryFolder } from "@svc/testing";
import { buildVale } from "../vale/build-vale.ts";
import { type Finding, findProse } from "./find-prose.ts";

const refused = [
  ["What", "What is seen, and what can be refused, depends on the kernel."],
  ["What", "The supervisor prints what was left behind."],
  ["Who", "Who holds the lease answers first."],
  ["Who", "The port is open: who comes is answered."],
  ["Who", "The note is written by who attempts."],
  ["Actor", "It is a mistake of the settings, for which nobody is waited."],
  ["Actor", "The test finds whoever samples the children."],
  ["None", "Pods that ask are admitted, and none that says nothing is ever asked about."],
  ["None", "An answer of `text/html` is no platform's."],
  ["None", "The first of them is none."],
  ["What", "The file has what `svc dev` reads."],
  ["Actor", "The socket takes connections of everybody."],
  ["Of", "Of the ten pods, two run."],
  ["Words", "No file shall be written."],
  ["Words", "The time of a request, a minute unless told."],
  ["Words", "The attempt is told of."],
  ["Where", "Where the kernel has no hooks, the agent watches calls."],
  ["Where", "The wrapper uses ordinary memory where RLIMIT_MEMLOCK is small."],
  ["Where", "It fails with ENOENT where there is no such file."],
  ["Where", "The chart makes a Secret, where there is none."],
  ["Own", "The token lies in a region of its own."],
  ["Own", "Each test has a folder of its own, and removes it."],
  ["Own", "Users have a manager of their own that starts services."],
  ["Count", "It waits for so many milliseconds."],
  ["Count", "The block has so much room."],
  ["Long", `The agent reads ${"one and ".repeat(15)}the last one of them.`],
] as const;

const accepted = [
  "Coverage depends on the kernel.",
  "The webhook is called only for annotated pods.",
  "A `text/html` response is treated as a proxy error and retried.",
  "What does the agent report? Who holds the lease?",
  "## What it does not do",
  "The hint says what to do and what happens next.",
  "There is no token yet, and the pod is no longer ready.",
  `The agent reads ${"one and ".repeat(10)}the last one of them.`,
  "## Where events go",
  "Where does the agent keep events?",
  "Where the log goes.",
  "The value is copied to the heap, where root can read it.",
  "The log says where the server listens, and the file stays where it was.",
  "The folder where the kubelet mounts volumes is the agent's.",
  "The program reads the end of its own list, and the names of its own children.",
  "There are so many of them that the kernel lists them by several calls.",
];

let found: readonly Finding[];

beforeAll(async () => {
  using folder = temporaryFolder();
  const vale = await buildVale(cacheFolder(env), env, (line) => void stderr.write(`${line}\n`));
  const texts = [...refused.map(([, text]) => text), ...accepted].map((text, index) => ({
    path: `${index}.ts`,
    text: `\n${text}\n`,
  }));
  found = await findProse(vale, folder.path, texts);
}, 300_000);

const rulesOf = (index: number) => [
  ...new Set(found.filter(({ path }) => path === `${index}.ts`).map(({ rule }) => rule)),
];

describe("Vale's rules", () => {
  test.each(refused.map(([rule, text], index) => [text, rule, index] as const))(
    "refuse: %s",
    (_, rule, index) => expect(rulesOf(index)).toEqual([rule]),
  );

  test.each(accepted.map((text, index) => [text, refused.length + index] as const))(
    "accept: %s",
    (_, index) => expect(rulesOf(index)).toEqual([]),
  );

  test("name the line", () => expect(new Set(found.map(({ line }) => line))).toEqual(new Set([2])));
});
