import { type Shape, shapeProblems } from "../pod/shape.ts";
import type { AdmissionRequest } from "./admission-request.ts";

/** The question in a review, or all that keeps a value from being one. */
export type ParsedReview =
  | { readonly ok: true; readonly request: AdmissionRequest }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads an AdmissionReview, from the bytes that were sent or from a JSON value. It does not judge
 * the object in it: the reader parses it. No problem repeats sent data.
 */
export function parseReview(sent: unknown): ParsedReview {
  const read = sent instanceof Uint8Array ? readJson(sent) : { value: sent };
  if ("problem" in read) return { ok: false, problems: [read.problem] };
  const problems = shapeProblems(read.value, shape, "review");
  if (problems.length > 0) return { ok: false, problems };
  // The shape names each field of the type with the kind that the type has for it.
  const review = read.value as Checked;
  const unfit = [...versionProblems(review), ...uidProblems(review)];
  return unfit.length > 0
    ? { ok: false, problems: unfit }
    : { ok: true, request: requestOf(review.request) };
}

/** The server's are UUIDs. */
const LONGEST_UID = 128;
const VERSION = "admission.k8s.io/v1";
const KIND = "AdmissionReview";

const shape: Shape = {
  required: ["apiVersion", "kind", "request"],
  fields: {
    apiVersion: "text",
    kind: "text",
    request: {
      required: ["uid", "kind", "operation"],
      fields: {
        uid: "text",
        kind: {
          required: ["version", "kind"],
          fields: { group: "text", version: "text", kind: "text" },
        },
        operation: "text",
        namespace: "text",
        name: "text",
        subResource: "text",
        dryRun: "boolean",
        object: "anything",
      },
    },
  },
};

/** A field that is not there may be null, too. */
interface Checked {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly kind: {
      readonly group?: string | null;
      readonly version: string;
      readonly kind: string;
    };
    readonly operation: string;
    readonly namespace?: string | null;
    readonly name?: string | null;
    readonly subResource?: string | null;
    readonly dryRun?: boolean | null;
    readonly object?: unknown;
  };
}

function readJson(bytes: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    // The parser's own message quotes its input.
    return { problem: "review: must be JSON in UTF-8: it is not" };
  }
}

function versionProblems({ apiVersion, kind }: Checked): readonly string[] {
  return [
    ...(apiVersion === VERSION ? [] : [`review.apiVersion: must be ${VERSION}: it is not`]),
    ...(kind === KIND ? [] : [`review.kind: must be ${KIND}: it is not`]),
  ];
}

function uidProblems({ request: { uid } }: Checked): readonly string[] {
  return uid.length > 0 && uid.length <= LONGEST_UID
    ? []
    : [`review.request.uid: must be of 1 to ${LONGEST_UID} characters: it has ${uid.length}`];
}

function requestOf({ kind, ...request }: Checked["request"]): AdmissionRequest {
  const { uid, operation, namespace, name, subResource, dryRun, object } = request;
  return {
    uid,
    operation,
    kind: { group: kind.group ?? "", version: kind.version, kind: kind.kind },
    namespace: namespace ?? "",
    name: name ?? "",
    subResource: subResource ?? "",
    dryRun: dryRun ?? false,
    object: object ?? null,
  };
}
