import { type KubernetesErrorCode, kubernetesErrorCatalogue } from "./error-catalogue.ts";

/** What a `KubernetesError` carries besides its code and message. */
export interface KubernetesErrorDetails {
  /** The status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** Of the Status in the answer, for example `AlreadyExists` or `Conflict`. */
  readonly reason?: string | undefined;
}

/**
 * Why the API server did not do what it was asked; switch on `code`, the text is for people. It never has a cause: what
 * lies under it may hold the request.
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
