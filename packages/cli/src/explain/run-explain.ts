import { type OperatorProcess, parseOperatorFlags } from "@svc/operator";
import { flagSections, type Problem } from "@svc/settings";
import { findObject } from "../cluster/find-object.ts";
import { openCluster, orUnreadable } from "../cluster/open-cluster.ts";
import { answerWithoutSettings } from "../command-line.ts";
import { refuseProblems } from "../refuse-problems.ts";
import type { CommandOutput } from "../write-output.ts";
import { explainFlags } from "./explain-flags.ts";
import { explainObject } from "./explain-object.ts";
import { type ExplainSettings, parseExplain } from "./explain-settings.ts";
import { type Explanation, explainStatuses } from "./explanation.ts";
import { explanationText } from "./explanation-text.ts";

/**
 * Runs `svc explain`.
 *
 * @param words those behind the command's name
 * @returns the exit status: one of `explainStatuses`, or 125 if it failed
 * @throws CliError
 */
export async function runExplain(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
  { out, err }: CommandOutput,
): Promise<number> {
  const parsed = parseExplain(words, environment);
  if (parsed.kind !== "settings") return answerWithoutSettings(parsed, help, { out, err });
  const { settings } = parsed;
  return orUnreadable(async () => {
    const looked = await look(settings, environment);
    if (looked.kind === "unknown") return refuseProblems([looked.problem], err);
    for (const explanation of looked.explanations) {
      const text = settings.output === "json" ? JSON.stringify : explanationText;
      out(`${text(explanation)}\n`);
    }
    if (looked.explanations.length > 0) {
      return Math.max(...looked.explanations.map(({ exitStatus }) => exitStatus));
    }
    err(
      `svc: warning: ${looked.name} has no pod template that this command knows: explain its pods\n`,
    );
    return explainStatuses.without;
  });
}

type Looked =
  | { readonly kind: "unknown"; readonly problem: Problem }
  | {
      readonly kind: "found";
      readonly name: string;
      /** One for each pod template. */
      readonly explanations: readonly Explanation[];
    };

async function look(
  settings: ExplainSettings,
  environment: ReadonlyMap<string, string>,
): Promise<Looked> {
  const { cluster, namespace } = await openCluster(settings, environment);
  const found = await findObject(settings, namespace, cluster);
  if (found.kind === "unknown") return found;
  const { lookUpImages } = settings;
  const request = { object: found.object, namespace, lookUpImages, otherwise: byDefault() };
  const explanations = await explainObject(request, cluster);
  return { kind: "found", name: found.title, explanations };
}

/** An operator with only the required flags. */
function byDefault(): OperatorProcess {
  const parsed = parseOperatorFlags(["--wrapper-image=svc-wrapper"], "default");
  if (parsed.kind !== "process") throw new TypeError("the operator's defaults do not parse");
  return parsed.process;
}

function help(): string {
  return `usage: svc explain KIND NAME [FLAGS]

Explains why the operator gave or did not give a pod its wrapper. For a Deployment,
StatefulSet, DaemonSet, Job or CronJob it explains the decision about its pods, and for
each object of an extension with pod templates (rollout, scaledjob.keda.sh). It uses
the operator's own code, with the flags that the operator runs with, the cluster's
SvcConfigs and its webhook. Then it shows the progress of the pods: the state of their
containers, their ends, and the wrapper's last log lines. It only reads. The exit status is

  0  all is well: programs run or have ended with 0, or the pod does not ask for secrets
  2  a pod asks for secrets and has no wrapper, or would get none; or no pod template is
     known in the object
  3  a program does not run yet
  4  a program or its wrapper has failed
  125  the command itself has failed

  svc explain pod web-7d4b9c5f6-x2x7p -n shop
  svc explain deployment/web -n shop

${flagSections(explainFlags)}
`;
}
