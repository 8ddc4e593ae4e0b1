/** Why a request got no judgement. */
export type AdmissionRefusalCode = keyof typeof admissionRefusals;

/** The endpoint's answers to requests that it does not judge. */
export const admissionRefusals = {
  NOT_FOUND: {
    status: 404,
    message: "find this path: there is nothing",
    hint: "POST a review to /mutate-v1-pod",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "take this method: the path has another one",
    hint: "see the header Allow",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "read the body: its type is not application/json",
    hint: "set Content-Type: application/json",
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: "read the body: it is too large",
    hint: "the API server itself takes 3 MiB",
  },
  BODY_TOO_SLOW: {
    status: 408,
    message: "read the body: it did not come in time",
    hint: "send it again",
  },
  NOT_A_REVIEW: {
    status: 400,
    message: "read the review",
    hint: "send an AdmissionReview of admission.k8s.io/v1",
  },
  // With Retry-After the API server asks again while its own time lasts (client-go,
  // rest/with_retry.go).
  BUSY: {
    status: 503,
    message: "judge the pod: too many are being judged",
    hint: "try again in a second",
  },
  INTERNAL: {
    status: 500,
    message: "answer: something unexpected happened",
    hint: "please report it with the log",
  },
} as const satisfies Readonly<
  Record<string, { readonly status: number; readonly message: string; readonly hint: string }>
>;

/** The parts of an answer beside its code. */
export interface RefusalDetails {
  /** The finding, as text after the message. */
  readonly found?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer of a code, in the form of all errors of svc. */
export function refusalResponse(
  code: AdmissionRefusalCode,
  details: RefusalDetails = {},
): Response {
  const { status, message, hint } = admissionRefusals[code];
  const text = details.found === undefined ? message : `${message}: ${details.found}`;
  const headers = code === "BUSY" ? { "Retry-After": "1", ...details.headers } : details.headers;
  return Response.json(
    { error: { code, message: text, hint } },
    { status, ...(headers && { headers }) },
  );
}
