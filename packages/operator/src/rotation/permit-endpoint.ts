import type { Log } from "@svc/logging";
import { PERMIT_PATH, type PermitAnswer, type PermitQuestion } from "@svc/protocol";
import type { PermitOutcome } from "../admission/permit-outcome.ts";
import type { PodIdentifier } from "./identify-pod.ts";
import type { PermitDesk } from "./permit-desk.ts";
import { MOST_QUESTION_BYTES, parseQuestion } from "./permit-question.ts";
import { wrapperEndpoint } from "./wrapper-endpoint.ts";

/** The parts of the endpoint. */
export interface PermitEndpointParts {
  readonly identify: PodIdentifier;
  readonly desk: PermitDesk;
  readonly log: Log;
  /** Counts an answer. */
  readonly count: (answer: PermitOutcome) => void;
  /** Questions that are answered at one time; others are told to come again. */
  readonly mostAtOnce?: number;
}

/** Answers the questions of wrappers. */
export function permitEndpoint(
  parts: PermitEndpointParts,
): (request: Request) => Promise<Response> {
  const { identify, desk, log, count, mostAtOnce } = parts;
  return wrapperEndpoint<PermitQuestion, PermitAnswer>({
    path: PERMIT_PATH,
    mostBytes: MOST_QUESTION_BYTES,
    parse: parseQuestion,
    answer: desk,
    count: (answer) => count(answer?.decision ?? "refused"),
    doing: "asks for a permit",
    ...{ identify, log },
    ...(mostAtOnce !== undefined && { mostAtOnce }),
  });
}
