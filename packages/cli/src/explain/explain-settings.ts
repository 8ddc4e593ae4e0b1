import { podKinds } from "@svc/operator";
import { closest, type Problem, parseFlags, parseVariables, problem, quoted } from "@svc/settings";
import type { CommandLine } from "../command-line.ts";
import { explainFlags } from "./explain-flags.ts";

/** The settings of `svc explain`. */
export interface ExplainSettings extends NamedObject {
  /** Undefined for that of the kubeconfig's context. */
  readonly namespace: string | undefined;
  readonly output: "text" | "json";
  readonly cluster: { readonly kubeconfig?: readonly string[]; readonly context?: string };
  readonly lookUpImages: boolean;
}

/** The object that the words name. */
interface NamedObject {
  /** A kind of Kubernetes, or another word, for which the cluster may have a kind. */
  readonly kind: string;
  readonly name: string;
  /** The error if the cluster does not have the kind. */
  readonly doubt?: Problem;
}

/** As kubectl shortens them. */
const shortNames: Readonly<Record<string, string>> = {
  po: "Pod",
  rc: "ReplicationController",
  deploy: "Deployment",
  rs: "ReplicaSet",
  sts: "StatefulSet",
  ds: "DaemonSet",
  cj: "CronJob",
};

/** Parses the words behind `svc explain`: KIND NAME or KIND/NAME, and flags around them. */
export function parseExplain(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): CommandLine<ExplainSettings> {
  const strayHint = "one object is explained at a time: KIND NAME";
  const rules = { table: explainFlags, refused: new Map(), strayHint, mostWords: 2 };
  const flags = parseFlags(words, rules);
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(explainFlags, { environment, flags: flags.values });
  const object = readObject(flags.words.flatMap((word) => word.split("/")));
  const problems = [...("kind" in object ? [] : [object]), ...flags.problems, ...parsed.problems];
  if (!("kind" in object) || problems.length > 0) return { kind: "problems", problems };
  const { namespace, output, kubeconfig, context, lookUpImages } = parsed.values;
  const cluster = { ...(kubeconfig && { kubeconfig }), ...(context !== undefined && { context }) };
  return {
    kind: "settings",
    settings: { ...object, namespace, output: output ?? "text", cluster, lookUpImages },
  };
}

function readObject(named: readonly string[]): Problem | NamedObject {
  const [asked = "", name = "", ...more] = named;
  const kind = kindOf(asked);
  if (asked !== "" && name !== "" && more.length === 0) {
    return kind === undefined ? { kind: asked, name, doubt: unknownKind(asked) } : { kind, name };
  }
  return problem({ variable, wanted: "named as KIND NAME", found: "it is not", hint });
}

const variable = "the object";
const hint = "for example svc explain pod web-7d4b9c, or svc explain deployment/web";

function unknownKind(asked: string): Problem {
  const near = closest(
    asked.toLowerCase(),
    podKinds.map((one) => one.toLowerCase()),
  );
  const better = near === undefined ? hint : `did you mean ${near}?`;
  const found = `got ${quoted(asked)}, which the cluster does not have as a kind of an extension`;
  const wanted = `of a kind that makes pods: ${podKinds.join(", ")}, or one of an extension`;
  return problem({ variable, wanted, found, hint: better });
}

function kindOf(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (Object.hasOwn(shortNames, lower)) return shortNames[lower];
  return podKinds.find((kind) => [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(lower));
}
