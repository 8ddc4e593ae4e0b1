import { podKinds } from "@svc/operator";
import { closest, type Problem, problem, quoted } from "@svc/settings";

/** The object that the words of a command name. */
export interface NamedObject {
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

/**
 * Reads KIND NAME or KIND/NAME.
 *
 * @param command the command, for the example in the hint: `svc explain`
 */
export function readNamedObject(words: readonly string[], command: string): Problem | NamedObject {
  const [asked = "", name = "", ...more] = words.flatMap((word) => word.split("/"));
  const hint = `for example ${command} pod web-7d4b9c, or ${command} deployment/web`;
  const kind = kindOf(asked);
  if (asked !== "" && name !== "" && more.length === 0) {
    return kind === undefined
      ? { kind: asked, name, doubt: unknownKind(asked, hint) }
      : { kind, name };
  }
  return problem({ variable, wanted: "named as KIND NAME", found: "it is not", hint });
}

const variable = "the object";

function unknownKind(asked: string, hint: string): Problem {
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
