import { type Asked, errorOf, KubernetesError, type Refusal, readRefusal } from "@svc/kubernetes";
import { BootstrapError } from "../bootstrap-error.ts";

/** The client's error for a status other than 2xx; its own message has the whole answer in it. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("body" in error)) return undefined;
  return typeof error.code === "number" ? readRefusal(error.code, error.body) : undefined;
}

/** Our error for one of the client's, which is neither kept nor quoted. */
export function kubernetesFailure(error: unknown, asked: Asked): BootstrapError {
  if (error instanceof KubernetesError) {
    return new BootstrapError(error.code, `${asked.operation}: ${error.message}`);
  }
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    const message = `${asked.operation}: the answer cannot be read`;
    return new BootstrapError("KUBERNETES_UNREACHABLE", message);
  }
  const { code, message } = errorOf(refusal, asked);
  return new BootstrapError(code, message);
}
