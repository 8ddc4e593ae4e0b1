/**
 * Installs the Debian packages of commands that a minimal machine may lack: `bun
 * scripts/ensure-commands.ts [demo|build|generate|check|test|cluster]`, by default for `test`. Does nothing
 * if all are there. An ordinary user gets the list, and the command that installs it.
 */
import { ensureNeeds } from "./needs/ensure-needs.ts";
import { occasions } from "./needs/needs.ts";

const wanted = process.argv[2] ?? "test";
const occasion = occasions.find((name) => name === wanted);
if (occasion === undefined) {
  const usage = `bun scripts/ensure-commands.ts [${occasions.join("|")}]`;
  process.stderr.write(`usage: ${usage}: got "${wanted}"\n`);
  process.exit(2);
}
ensureNeeds(occasion);
