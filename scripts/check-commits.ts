/**
 * Checks the messages of the commits that main does not have: `bun scripts/check-commits.ts [BASE]`.
 * BASE stands for main. Fails when there is a mistake, and prints all of them.
 */
import { join } from "node:path";
import { argv, exit, stderr } from "node:process";
import { judgeMessage } from "./check-commits/judge-message.ts";

const root = join(import.meta.dirname, "..");

exit(run(argv[2]));

function run(base: string | undefined): number {
  const main = (base === undefined ? ["origin/main", "main"] : [base]).find(isCommit);
  if (main === undefined) {
    // An archive of the sources, or a clone of one commit, has nothing to compare with.
    if (base === undefined) return 0;
    stderr.write(`check-commits: there is no commit ${base}\n`);
    return 2;
  }
  const findings = messagesSince(main).flatMap(([hash, message]) =>
    judgeMessage(message).map((problem) => `${hash} ${message.split("\n", 1)[0]}: ${problem}`),
  );
  for (const finding of findings) stderr.write(`${finding}\n`);
  return findings.length === 0 ? 0 : 1;
}

function isCommit(name: string): boolean {
  return git("rev-parse", "--verify", "--quiet", `${name}^{commit}`) !== undefined;
}

/** The short hash and the message of each commit, the oldest first. */
function messagesSince(main: string): readonly (readonly [string, string])[] {
  const log = git("log", "--reverse", "--no-merges", "--format=%h%n%B%x00", `${main}..HEAD`) ?? "";
  return log
    .split("\0")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n");
      return [entry.slice(0, end), entry.slice(end + 1)] as const;
    });
}

/** The output of git; undefined when it fails. */
function git(...words: readonly string[]): string | undefined {
  const { exitCode, stdout } = Bun.spawnSync(["git", ...words], { cwd: root });
  return exitCode === 0 ? stdout.toString() : undefined;
}
