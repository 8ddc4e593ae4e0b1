import { asksElsewhere, loadAuthorities } from "@svc/operator";
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

/** A pod would be refused, or an object asks in a place that this command does not know. */
const REFUSED = 2;

/**
 * Runs `svc inject`.
 *
 * @param words those behind the command's name
 * @returns the exit status: 0, 2 if a pod would be refused or an object that asks is left, 125 if
 *   it failed
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
  const missedIn = (object: unknown) => missed(object, settings);
  const manifests = readManifests(await readText(file), {
    ...{ file: name, namespace },
    mayMakePods: (object) => missedIn(object) !== undefined,
  });
  const context = manifestContext(settings, manifests, authorities);
  const judged = await judgeManifests(manifests.objects, context, namespace);
  if (settings.hasNoWrapperImage && judged.some(({ injection }) => injection.kind === "patch")) {
    err("svc: warning: without --wrapper-image, svc-wrapper stands for its image\n");
  }
  const missing = manifests.objects.flatMap((object) => missedIn(object) ?? []);
  for (const text of missing) err(`svc: warning: ${text}\n`);
  const status = settings.dryRun
    ? report(judged, settings, out)
    : print({ objects: manifests.objects, judged }, settings, { out, err });
  return missing.length > 0 ? REFUSED : status;
}

/** The sentence about an object that asks in a place without a pod template; else undefined. */
function missed(object: unknown, { operator, namespace }: InjectSettings): string | undefined {
  const place = asksElsewhere(object, operator.prefix);
  if (place === undefined) return undefined;
  const { kind, metadata } = Object(object);
  const { namespace: own = namespace, name = "(unnamed)" } = Object(metadata);
  const about = `${String(kind)} ${String(own)}/${String(name)}`;
  return `${about} is left as it is: it asks at ${place}, where this command knows no pod template; in a cluster the operator injects into its pods if they get that annotation or label`;
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
  const byObject = Map.groupBy(judged, ({ template }) => template.object);
  const all = objects.map((object) =>
    (byObject.get(object) ?? []).reduce((result, { put }) => put(result), object),
  );
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
the SvcConfigs in the file. It finds pod templates in objects of any kind. It exits with 2
if the operator would refuse a pod, or if an object asks in a place without a pod template.

  svc inject --dry-run -f pod.yaml --wrapper-image=registry.example/svc:1.0.0

It does not see the changes that the API server makes to a pod on its way, such as its
service account's pull secrets, nor those of other webhooks.

${flagSections(injectFlags)}
`;
}
