import { loadAuthorities } from "@svc/operator";
import { flagSections } from "@svc/settings";
import { answerWithoutSettings } from "../command-line.ts";
import { refuseProblems } from "../refuse-problems.ts";
import type { CommandOutput } from "../write-output.ts";
import { injectFlags } from "./inject-flags.ts";
import { type InjectSettings, parseInject } from "./inject-settings.ts";
import { reportOf, reportText } from "./injection-report.ts";
import { type JudgedManifest, judgeManifests } from "./judge-manifests.ts";
import { manifestContext } from "./manifest-context.ts";
import { readManifests } from "./read-manifests.ts";
import { readText } from "./read-text.ts";

/** A pod would be refused. */
const REFUSED = 2;

/**
 * Runs `svc inject`.
 *
 * @param words those behind the command's name
 * @returns the exit status: 0, 2 if a pod would be refused, 125 if it failed
 * @throws CliError
 */
export async function runInject(
  words: readonly string[],
  { out, err }: CommandOutput,
): Promise<number> {
  const parsed = parseInject(words);
  if (parsed.kind !== "settings") return answerWithoutSettings(parsed, help, { out, err });
  const { settings } = parsed;
  const { authorities, problems } = loadAuthorities(settings.images.authorityFiles);
  if (problems.length > 0) return refuseProblems(problems, err);
  const { file, namespace } = settings;
  const name = file === "-" ? "standard input" : file;
  const manifests = readManifests(await readText(file), name, namespace);
  const context = manifestContext(settings, manifests, authorities);
  const judged = await judgeManifests(manifests.objects, context, namespace);
  if (settings.hasNoWrapperImage && judged.some(({ injection }) => injection.kind === "patch")) {
    err("svc: warning: without --wrapper-image, svc-wrapper stands for its image\n");
  }
  return settings.dryRun
    ? report(judged, settings, out)
    : print({ objects: manifests.objects, judged }, settings, { out, err });
}

function report(
  judged: readonly JudgedManifest[],
  { output }: InjectSettings,
  out: CommandOutput["out"],
): number {
  const reports = judged.map(reportOf);
  for (const one of reports) {
    out(output === "json" ? `${JSON.stringify(one)}\n` : `${reportText(one)}\n`);
  }
  return statusOf(judged);
}

interface Printed {
  readonly objects: readonly unknown[];
  readonly judged: readonly JudgedManifest[];
}

/** Nothing is printed if a pod is refused: half of a file applied is worse than none. */
function print(
  { objects, judged }: Printed,
  { output }: InjectSettings,
  { out, err }: CommandOutput,
): number {
  for (const one of judged) {
    const { decision, warnings } = reportOf(one);
    if (decision === "refuse") err(`${reportText(reportOf(one))}\n`);
    for (const warning of warnings) err(`svc: warning: ${warning}\n`);
  }
  const status = statusOf(judged);
  if (status !== 0) return status;
  const results = new Map(judged.map(({ template, result }) => [template.object, result]));
  const all = objects.map((object) => results.get(object) ?? object);
  out(
    output === "json"
      ? `${JSON.stringify(all.length === 1 ? all[0] : listOf(all), null, 2)}\n`
      : all.map(yamlOf).join("---\n"),
  );
  return 0;
}

function statusOf(judged: readonly JudgedManifest[]): number {
  return judged.some(({ injection }) => injection.kind === "deny") ? REFUSED : 0;
}

function listOf(items: readonly unknown[]): object {
  return { apiVersion: "v1", kind: "List", items };
}

function yamlOf(object: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(object));
  return `${Bun.YAML.stringify(plain, null, 2)}\n`;
}

function help(): string {
  return `usage: svc inject --filename=FILE [FLAGS]

Changes pods in a file as the operator changes pods in a cluster, with the same code and
without an operator. With --dry-run it prints the decision, its reasons and the patch for
each object. Without, it prints the manifests with the wrapper in them. It also applies
the SvcConfigs in the file. It exits with 2 if the operator would refuse a pod.

  svc inject --dry-run -f pod.yaml --wrapper-image=registry.example/svc:1.0.0

It does not see the changes that the API server makes to a pod on its way, such as its
service account's pull secrets, nor those of other webhooks.

${flagSections(injectFlags)}
`;
}
