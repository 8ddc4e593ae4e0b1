/**
 * Checks the language of documents, comments, test names and messages with Vale:
 * `bun scripts/check-prose.ts [PATH …]`. Fails when there is a finding, and prints all of them.
 * With paths it checks only the files below these.
 */
import { join } from "node:path";
import { argv, env, exit, stderr } from "node:process";
import { cacheFolder, temporaryFolder } from "@svc/testing";
import { findProse, readProse } from "./check-prose/find-prose.ts";
import { buildVale } from "./vale/build-vale.ts";

const root = join(import.meta.dirname, "..");

exit(await run(argv.slice(2)));

async function run(prefixes: readonly string[]): Promise<number> {
  const say = (line: string) => void stderr.write(`check-prose: ${line}\n`);
  const vale = await buildVale(cacheFolder(env), env, say);
  using folder = temporaryFolder();
  const texts = await readProse(root);
  const isWanted = (path: string) =>
    prefixes.length === 0 || prefixes.some((prefix) => path.startsWith(prefix));
  const found = await findProse(
    vale,
    folder.path,
    texts.filter(({ path }) => isWanted(path)),
  );
  for (const { path, line, rule, message } of found) {
    stderr.write(`${path}:${line}: ${rule}: ${message}\n`);
  }
  return found.length === 0 ? 0 : 1;
}
