import type { Injection } from "../inject/injection.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import { boundedWarnings } from "./bounded-warnings.ts";
import type { Judgement } from "./judge-pod.ts";

/** The answer in the form that the API server takes (admission.k8s.io/v1). */
export interface AdmissionReview {
  readonly apiVersion: "admission.k8s.io/v1";
  readonly kind: "AdmissionReview";
  readonly response: AdmissionResponse;
}

/** The decision about the object. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly status: "Failure";
    readonly code: number;
    readonly reason: string;
    readonly message: string;
  };
  readonly patchType?: "JSONPatch";
  /** Base64 of the JSON Patch. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

/** Puts a judgement into the form of an answer. */
export function reviewOf({ uid }: AdmissionRequest, judgement: Judgement): AdmissionReview {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid, ...responseOf(judgement) },
  };
}

function responseOf({ injection, fault }: Judgement): Omit<AdmissionResponse, "uid"> {
  switch (injection.kind) {
    case "patch": {
      const patch = Buffer.from(JSON.stringify(injection.patch)).toString("base64");
      return { allowed: true, patchType: "JSONPatch", patch, ...warningsOf(injection) };
    }
    case "skip":
      return { allowed: true, ...warningsOf(injection) };
    case "deny":
      return {
        allowed: false,
        status: { status: "Failure", ...codes[fault ?? "none"], message: shown(injection.message) },
      };
  }
}

/** A pod's fault is the user's to mend; the others may be over at the next attempt. */
const codes = {
  none: { code: 403, reason: "Forbidden" },
  late: { code: 504, reason: "Timeout" },
  broken: { code: 500, reason: "InternalError" },
} as const;

function warningsOf({
  warnings,
}: Exclude<Injection, { readonly kind: "deny" }>): Pick<AdmissionResponse, "warnings"> {
  return warnings.length === 0 ? {} : { warnings: boundedWarnings(warnings) };
}

/** It becomes part of an event, too, of which etcd stores one for each attempt. */
const LONGEST_MESSAGE = 8192;

function shown(message: string): string {
  return message.length > LONGEST_MESSAGE
    ? `${message.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…`
    : message;
}
