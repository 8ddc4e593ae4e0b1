import { type KubernetesErrorCode, kubernetesErrorCatalogue } from "./error-catalogue.ts";

/** The fields of a `KubernetesError` beside its code and message. */
export interface KubernetesErrorDetails {
  /** The status of the answer, if there was one. */
  readonly status?: number | undefined;
  /** The reason of the Status in the answer, for example `AlreadyExists` or `Conflict`. */
  readonly reason?: string | undefined;
}

/**
 * The reason why the API server did not fulfil a request; switch on `code`, the text is for people.
 * It never has a cause, because that may contain the request.
 */
export class KubernetesError extends Error {
  override readonly name = "KubernetesError";
  readonly code: KubernetesErrorCode;
  readonly hint: string;
  readonly status: number | undefined;
  readonly reason: string | undefined;

  constructor(code: KubernetesErrorCode, message: string, details: KubernetesErrorDetails = {}) {
    super(message);
    this.code = code;
    this.hint = kubernetesErrorCatalogue[code].hint;
    this.status = details.status;
    this.reason = details.reason;
  }
}
