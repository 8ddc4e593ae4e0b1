/**
 * Compares the Go library with the known vulnerabilities: `bun scripts/vulncheck.ts`. Exits 0 when
 * none concerns it, 1 when one does, 2 when that could not be found out. The database is asked over
 * the network; GOVULNDB names another.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goTool, runProgram } from "./go/go-command.ts";
import { goProblem } from "./go/go-release.ts";

/** govulncheck's own status when it has found something; `govulncheck -h`. */
const FOUND = 3;

const root = join(import.meta.dirname, "..");
process.exit(check());

function check(): number {
  const problem = goProblem(root);
  if (problem !== undefined) return unknown(problem);
  const database = process.env["GOVULNDB"];
  if (database?.startsWith("file:") && !hasEntries(fileURLToPath(database))) {
    return unknown(`${database}: no database is there`);
  }
  const words = [...(database ? ["-db", database] : []), "-show", "version", "./..."];
  const command = [goTool(root, "govulncheck"), ...words];
  const { exitCode, stdout, stderr } = runProgram(command, { folder: join(root, "go") });
  process.stdout.write(stdout);
  if (exitCode === 0) return 0;
  return exitCode === FOUND ? 1 : unknown(stderr.trim());
}

/**
 * Whether it is a mirror or a folder of entries; govulncheck takes any other folder for an empty
 * database.
 */
function hasEntries(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((name) => name === "index" || /^GO-.*\.json$/.test(name));
}

function unknown(reason: string): number {
  process.stderr.write(`vulncheck: could not be run, so nothing is known: ${reason}\n`);
  process.stderr.write(
    "hint: GOVULNDB may name a copy of the database, for example file:///srv/vulndb\n",
  );
  return 2;
}
