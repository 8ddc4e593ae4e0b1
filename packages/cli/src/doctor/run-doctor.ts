import { flagSections } from "@svc/settings";
import { openCluster, orUnreadable } from "../cluster/open-cluster.ts";
import { answerWithoutSettings } from "../command-line.ts";
import type { CommandOutput } from "../write-output.ts";
import { clusterFindings } from "./cluster-checks.ts";
import { clusterFacts } from "./cluster-facts.ts";
import { type DoctorSettings, doctorFlags, parseDoctor } from "./doctor-settings.ts";
import { exitStatusOf, type Finding, findingsText } from "./finding.ts";
import { nodeFindings } from "./node-checks.ts";
import { nodeFacts } from "./node-facts.ts";

/**
 * Runs `svc doctor`.
 *
 * @param words those behind the command's name
 * @returns the exit status: 0 if all is well, 1 if something fails, 2 if something may, or 125
 * @throws CliError
 */
export async function runDoctor(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
  { out, err }: CommandOutput,
): Promise<number> {
  const parsed = parseDoctor(words, environment);
  if (parsed.kind !== "settings") return answerWithoutSettings(parsed, help, { out, err });
  const { settings } = parsed;
  const findings = await findingsOf(settings, environment);
  const { place } = settings;
  if (settings.output === "json") out(`${JSON.stringify({ place, findings })}\n`);
  else out(`${findingsText(findings)}\n`);
  return exitStatusOf(findings);
}

async function findingsOf(
  settings: DoctorSettings,
  environment: ReadonlyMap<string, string>,
): Promise<readonly Finding[]> {
  switch (settings.place) {
    case "node":
      return nodeFindings(nodeFacts());
    case "cluster":
      return orUnreadable(async () => {
        return clusterFindings(await clusterFacts(await openCluster(settings, environment)));
      });
  }
}

function help(): string {
  return `usage: svc doctor node|cluster [FLAGS]

Looks for things that keep secrets away from programs, or weaken their protection, and says
how to mend each. It changes nothing.

  node     this machine: memory for secrets, swap, tracing, the kernel agent, the processor
  cluster  the webhook, the operator, definitions, SvcConfigs, nodes and kernel agents. It
           asks the API server to check a pod of the namespace that asks for secrets
           (dry run): so the API server itself calls the operator

The exit status is

  0  all is well
  1  something fails
  2  something is weaker than it could be, or could not be looked at
  125  the command itself has failed

  svc doctor node
  svc doctor cluster -n shop -o json

${flagSections(doctorFlags)}
`;
}
