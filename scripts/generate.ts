/**
 * Writes every generated file of the repository: `bun scripts/generate.ts`.
 * With --check it writes nothing, names the files that are stale, and exits 1 if there are any.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { argv, exit, stderr, stdout } from "node:process";
import { annotationsPage } from "./generate/annotations-page.ts";
import { architecturesPage } from "./generate/architectures-page.ts";
import { attacksPage } from "./generate/attacks-page.ts";
import { secretstoreChart } from "./generate/chart/secretstore-chart.ts";
import { svcChart } from "./generate/chart/svc-chart.ts";
import { decisionsPage } from "./generate/decisions-page.ts";
import { diagrams } from "./generate/diagrams.ts";
import { dockerfiles } from "./generate/dockerfiles.ts";
import { errorsPage } from "./generate/errors-page.ts";
import { eventsPage } from "./generate/events-page.ts";
import type { GeneratedFile } from "./generate/generated-file.ts";
import { metricsPage } from "./generate/metrics-page.ts";
import { programSettingsHeader } from "./generate/program-settings-header.ts";
import { protectionPage } from "./generate/protection-page.ts";
import { seccompProfile, systemCallsPage } from "./generate/seccomp-profile.ts";
import { settingsPage } from "./generate/settings-page.ts";
import { svcConfigDefinition } from "./generate/svc-config-definition.ts";
import { svcPolicyDefinition } from "./generate/svc-policy-definition.ts";
import { systemCallHeaders } from "./generate/system-call-headers.ts";
import { ensureNeeds } from "./needs/ensure-needs.ts";

/** Add a file here; it needs a path and a function without effects that gives its text. */
const files: readonly GeneratedFile[] = [
  annotationsPage,
  architecturesPage,
  attacksPage,
  decisionsPage,
  seccompProfile,
  systemCallsPage,
  errorsPage,
  eventsPage,
  metricsPage,
  programSettingsHeader,
  protectionPage,
  settingsPage,
  svcConfigDefinition,
  svcPolicyDefinition,
  ...secretstoreChart,
  ...svcChart,
  ...diagrams,
  ...dockerfiles,
  ...systemCallHeaders,
];

const root = join(import.meta.dirname, "..");

ensureNeeds("generate");
exit(await run(argv.slice(2)));

async function run(words: readonly string[]): Promise<number> {
  const [mode = "--write", ...rest] = words;
  if (rest.length > 0 || (mode !== "--check" && mode !== "--write")) {
    stderr.write("usage: bun scripts/generate.ts [--check]\n");
    return 2;
  }
  const stale = await staleFiles();
  if (mode === "--check") return report(stale);
  for (const file of stale) {
    await mkdir(dirname(join(root, file.path)), { recursive: true });
    await writeFile(join(root, file.path), file.render());
    stdout.write(`wrote ${file.path}\n`);
  }
  return 0;
}

function report(stale: readonly GeneratedFile[]): number {
  for (const { path } of stale) stderr.write(`${path}: is stale: run bun scripts/generate.ts\n`);
  return stale.length === 0 ? 0 : 1;
}

async function staleFiles(): Promise<readonly GeneratedFile[]> {
  const current = await Promise.all(files.map(({ path }) => textOf(join(root, path))));
  return files.filter((file, index) => file.render() !== current[index]);
}

/** The text of a file; undefined when there is none yet. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
