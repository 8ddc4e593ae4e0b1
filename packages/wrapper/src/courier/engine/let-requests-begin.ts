/** Resolves once requests that were made before are on their way, as far as they need not wait. */
export { letRequestsBegin } from "svc:engine";
