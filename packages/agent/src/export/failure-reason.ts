import { Code, ConnectError } from "@connectrpc/connect";

const MOST_CAUSES = 8;
/** The codes of Node.js's and OpenSSL's errors. Other texts may quote a header. */
const CODE = /^[A-Z][A-Z0-9_]{2,}$/;
/** X509_verify_cert_error_string(3), as Node.js names its codes, and names that do not fit. */
const CERTIFICATE = /CERT|SIGNATURE|CRL|ISSUER|SELF_SIGNED|HOSTNAME|ERR_TLS/;

/**
 * Says why a request has failed, in the names of error codes alone: never in the error's own words.
 */
export function failureReason(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") {
    return "the platform did not answer in time";
  }
  const code = codeOf(error);
  if (code !== undefined) {
    const what = CERTIFICATE.test(code)
      ? "the platform's certificate is refused"
      : "the request failed";
    return `${what}: ${code}`;
  }
  if (error instanceof ConnectError) return `the platform answered ${Code[error.code]}`;
  return error instanceof Error ? `the request failed: ${error.name}` : "the request failed";
}

/** The code of the error, or of its cause. */
function codeOf(error: unknown): string | undefined {
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth += 1) {
    if ("code" in cause && typeof cause.code === "string" && CODE.test(cause.code)) {
      return cause.code;
    }
    cause = cause.cause;
  }
  return undefined;
}
