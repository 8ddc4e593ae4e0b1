import type { AskImages, ImageAsker } from "../admission/admission-context.ts";
import type { CredentialEntry } from "../image/docker-auths.ts";
import type { ImageErrorCode } from "../image/error-catalogue.ts";
import { ImageError } from "../image/image-error.ts";
import type { ImageLookup } from "../image/image-lookup.ts";
import { parseImageReference } from "../image/image-reference.ts";
import type { NamespaceLogins } from "../image/operator-login.ts";
import { platformOf } from "../image/platform-of.ts";
import type { ImageAnswer } from "../inject/find-program.ts";
import type { Pod } from "../pod/pod.ts";
import { cloudOf } from "../registry-logins/providers/login-rules.ts";
import type { PullCredentials } from "./pull-credentials.ts";

/** The inputs of a lookup. */
export interface PodImagesOptions {
  readonly lookup: Pick<ImageLookup, "lookUp">;
  readonly credentials: PullCredentials;
  /** The operator's own logins, for the pods of a namespace; none if it is not told. */
  readonly loginsOf?: (namespace: string) => NamespaceLogins | undefined;
  /** The architectures of the cluster's nodes. */
  readonly architectures: readonly string[];
  /** Called for each image that stays unknown. */
  readonly onFailure?: (code: ImageErrorCode) => void;
}

/**
 * Asks registries for the commands of a pod's images, with the pod's pull secrets, for the
 * platforms that it may run on. The
 * API server has put those of the service account into the pod before (plugin ServiceAccount of
 * kube-apiserver).
 */
export function askPodImages(options: PodImagesOptions): AskImages {
  return async (images, asker) => {
    const { pod, namespace } = asker;
    const names = (pod.spec.imagePullSecrets ?? []).flatMap(({ name }) => name || []);
    const { entries, problems } =
      names.length === 0
        ? { entries: [], problems: [] }
        : await options.credentials(namespace, names);
    const asked = images.map(async (image) => {
      const answer = await answerOf(image, { ...options, asker, credentials: entries });
      return [image, withProblems(answer, problems)] as const;
    });
    return new Map(await Promise.all(asked));
  };
}

interface Asking extends Omit<PodImagesOptions, "credentials"> {
  readonly asker: ImageAsker;
  readonly credentials: readonly CredentialEntry[];
}

/** The command of an image, or the reason why it is not known, with a hint. */
type Answered = (ImageAnswer & { readonly kind: "found" }) | Failed;

interface Failed {
  readonly found: string;
  readonly hint: string;
  readonly code: ImageErrorCode;
}

async function answerOf(
  image: string,
  { lookup, loginsOf, architectures, onFailure, asker, credentials }: Asking,
): Promise<Answered> {
  const { namespace, pod, signal } = asker;
  const platform = platformOf(pod.spec, architectures);
  const logins = loginsOf?.(namespace);
  try {
    const fresh = isAlwaysPulled(pod, image);
    const config = await lookup.lookUp(image, {
      ...{ credentials, logins, platform, signal, fresh },
      asker: namespace,
    });
    return { kind: "found", config };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    const { code, message, hint } = error;
    onFailure?.(code);
    // The sentence that it becomes a part of has named the image.
    const found = message.replace(NAMED, "");
    const advice = code === "DENIED" ? cloudAdvice(image, logins) : undefined;
    return { found, hint: advice === undefined ? hint : `${hint}; ${advice}`, code };
  }
}

/**
 * Nodes of a cloud pull from its registries without pull secrets, so authors do not expect that one
 * is needed.
 */
function cloudAdvice(image: string, logins: NamespaceLogins | undefined): string | undefined {
  const { registry, repository } = parseImageReference(image);
  const source = cloudOf(registry);
  if (source === undefined || logins?.loginsFor({ registry, repository }).length) return undefined;
  return `or ask the administrator for a login of the operator there: --registry-logins=${registry}=${source}`;
}

/**
 * As messages of look-ups begin: with the image as it was read, which may have a tag more than the
 * pod says.
 */
const NAMED = /^read image (?:"(?:[^"\\]|\\.)*"|\S+?):? /;

/**
 * Reports problems of the pull secrets if they may be the reason. They replace the advice to name
 * some if the registry asked for them.
 */
function withProblems(answered: Answered, problems: readonly string[]): ImageAnswer {
  if ("kind" in answered) return answered;
  const { found, hint, code } = answered;
  const reasons = code === "DENIED" || code === "NOT_FOUND" ? problems : [];
  const advice = code === "DENIED" && reasons.length > 0 ? [] : [hint];
  const reason = [found, ...advice, ...reasons].join("; ");
  return { kind: "unreadable", reason, ...(passing.has(code) && { isPassing: true }) };
}

/** No fault of the pod's: the same one may be admitted in a moment. */
const passing: ReadonlySet<ImageErrorCode> = new Set([
  "TIMEOUT",
  "CANCELLED",
  "BUSY",
  "CIRCUIT_OPEN",
  "SERVER_ERROR",
  "RATE_LIMITED",
  "LOGIN_UNAVAILABLE",
]);

/** The API server has set the policy if the author has not. */
function isAlwaysPulled({ spec }: Pod, image: string): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(
    (container) => container.image === image && container.imagePullPolicy === "Always",
  );
}
